//! How much speaks for one field having become another one?
//!
//! Names, what the fields accept, and where they are count; what a schema says for people does not.

use super::side::Side;
use crate::authoring::renames::{are_alike, are_opposed, last_key, likeness, mean_different, to_u32, words};
use crate::knowledge::catalog::Type;
use crate::syntax::field::{FieldPattern, Part};

/// What is certain enough to be written as an operation, in percent.
pub(super) const SURE: u32 = 74;

/// What is worth a person's look, in percent.
pub(super) const POSSIBLE: u32 = 50;

/// How much better than every other answer a certain one is.
pub(super) const MARGIN: u32 = 6;

/// How the value itself changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// It is the same.
    Same,
    /// It is the item of a list.
    Item,
    /// It is an item of a list that was there before, too.
    Joined,
    /// It is one key of a mapping; whether it can be no other one.
    Key(String, bool),
    /// The item of the list that it was; whether there was at most one.
    OfList(bool),
    /// The value of a key of the mapping that it was; whether there was no other one.
    OfKey(String, bool),
    /// A mapping of free keys is a list: the keys of its items for the name and the value of an entry.
    Entries(String, String),
    /// Its type is another one, which no operation alone converts.
    Other,
}

/// A field of the old side, and what it may have become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Score {
    pub(super) form: Form,
    /// In percent.
    pub(super) confidence: u32,
    pub(super) reason: String,
}

/// The places of a field that may have become another one.
pub(super) struct Places<'p> {
    /// The field as the old side calls it.
    pub(super) old: &'p FieldPattern,
    /// The same after what is known of the fields around it.
    pub(super) from: &'p FieldPattern,
    pub(super) new: &'p FieldPattern,
    /// Whether no other field of the same form went from, or came to, what both are in.
    pub(super) is_only: bool,
    /// Whether the new field was on the old side, too.
    pub(super) was_there: bool,
    /// Whether what both accept shows a rename.
    pub(super) is_renamed: bool,
}

/// Returns how a value of `old` is found in one of `new`, and how alike both are, in percent.
pub(super) fn form(old: &Side<'_>, at: &FieldPattern, new: &Side<'_>, to: &FieldPattern) -> Option<(Form, u32)> {
    let (before, after) = (old.kind(at)?, new.kind(to)?);
    if let Some(shape) = old.likeness(at, new, to) {
        return Some((Form::Same, shape));
    }
    let is_scalar = |kind| !matches!(kind, Type::Object | Type::Array | Type::Any);
    if is_scalar(before) && is_scalar(after) {
        return Some((Form::Other, 40));
    }
    if after == Type::Array && before != Type::Array {
        if let Some(entries) = entries(old, at, new, to) {
            return Some((entries, 80));
        }
        let shape = old.likeness(at, new, &to.items())?;
        let takes_one = new.attributes(to).is_none_or(|limits| limits.min_items.is_none_or(|least| least <= 1));
        let is_item = old.kind(at) == new.kind(&to.items()) && (is_scalar(before) || shape >= 50);
        return (takes_one && is_item).then_some((Form::Item, shape));
    }
    if before == Type::Array {
        let shape = old.likeness(&at.items(), new, to)?;
        let is_item = old.kind(&at.items()) == Some(after) && (is_scalar(after) || shape >= 50);
        let is_one = old.attributes(at).is_some_and(|limits| limits.max_items.is_some_and(|most| most <= 1));
        return is_item.then_some((Form::OfList(is_one), shape));
    }
    if after == Type::Object && is_scalar(before) {
        let own = words(last_key(at).unwrap_or_default());
        let (name, points) = usual_key(new, to, before, &own)?;
        let is_clear = is_clear_key([(old, at), (new, to)], &name);
        return Some((Form::Key(name, is_clear), points));
    }
    if before == Type::Object && is_scalar(after) {
        let (name, points) = usual_key(old, at, after, &words(last_key(to).unwrap_or_default()))?;
        let is_one = old.children(at).len() == 1;
        return Some((Form::OfKey(name, is_one), points));
    }
    None
}

/// Returns the key of a mapping that most likely has a value which is called `own` elsewhere, and how likely that is, in percent.
fn usual_key(side: &Side<'_>, mapping: &FieldPattern, kind: Type, own: &[String]) -> Option<(String, u32)> {
    let of_type = side.keys(mapping).filter(|key| side.kind(key) == Some(kind));
    let usual = |key: &&FieldPattern| {
        let name = last_key(key).unwrap_or_default();
        let points = if ["name", "value", "exact"].contains(&name) { 70 } else { likeness(own, &words(name)) };
        points + u32::from(side.get(key).is_some_and(|field| field.required)) * 20
    };
    let best = of_type.max_by_key(|key| (usual(key), std::cmp::Reverse((*key).clone())))?;
    let (points, name) = (usual(&best), last_key(best)?.to_owned());
    (points >= 70).then_some((name, points.min(80)))
}

/// Returns whether a key of a mapping is the only one that can have what a value had: of that type, with that name, or required.
fn is_clear_key([(old, at), (new, to)]: [(&Side<'_>, &FieldPattern); 2], name: &str) -> bool {
    let listed = |side: &'_ Side<'_>, field: &FieldPattern| side.attributes(field).and_then(|its| its.allowed.clone());
    let values = listed(old, at);
    let takes_all = |key: &FieldPattern| match (&values, listed(new, key)) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(own), Some(its)) => own.iter().all(|value| its.contains(value)),
    };
    let possible: Vec<&FieldPattern> =
        new.keys(to).filter(|key| new.kind(key) == old.kind(at) && takes_all(key)).collect();
    let is_it = |key: &&FieldPattern| last_key(key) == Some(name);
    let is_only = |is: &dyn Fn(&FieldPattern) -> bool| {
        let mut all = possible.iter().copied().filter(|key| is(key));
        all.next().is_some_and(|key| is_it(&key)) && all.next().is_none()
    };
    is_only(&|_| true)
        || is_only(&|key| new.get(key).is_some_and(|field| field.required))
        || is_only(&|key| last_key(key) == last_key(at))
}

/// Returns the keys of the items of a list that have the name and the value of an entry of a mapping.
fn entries(old: &Side<'_>, at: &FieldPattern, new: &Side<'_>, to: &FieldPattern) -> Option<Form> {
    let value = old.kind(&at.with(Part::Values))?;
    let items = to.items();
    let keys: Vec<&FieldPattern> = new.keys(&items).collect();
    let [one, other] = keys.as_slice() else { return None };
    let is_name = |key: &FieldPattern| {
        ["name", "key"].contains(&last_key(key).unwrap_or_default()) && new.kind(key) == Some(Type::String)
    };
    let (name, its) = if is_name(one) { (one, other) } else { (other, one) };
    let fits = is_name(name) && new.kind(its) == Some(value);
    fits.then(|| Some(Form::Entries(last_key(name)?.to_owned(), last_key(its)?.to_owned())))?
}

/// Returns what speaks for a field having become another one; `None` where nothing can convert the one to the other.
pub(super) fn score(old: &Side<'_>, new: &Side<'_>, places: &Places<'_>) -> Option<Score> {
    let shared = places.from.parts().iter().zip(places.new.parts()).take_while(|(one, other)| one == other).count();
    let own = words_of(&places.from.parts()[shared..])?;
    let its = words_of(&places.new.parts()[shared..])?;
    let (mut form, shape) = form(old, places.old, new, places.new)?;
    if form == Form::Item && places.was_there {
        form = Form::Joined;
    }
    let keys = [places.old, places.new].map(|place| last_key(place).unwrap_or_default());
    let names = keys.map(words);
    let stays = places.from.parts().len() == shared + 1 && places.new.parts().len() == shared + 1;
    let (last, whole) = (likeness(&names[0], &names[1]), likeness(&own.concat(), &its.concat()));
    let size = to_u32(old.size(places.old).min(20));
    let (confidence, name) = if stays {
        // Of two mappings that are alone there, names that share words say more.
        let only = match (places.is_only, size > 0 && last >= 70) {
            (true, true) => 15,
            (true, false) => 10,
            (false, _) => 0,
        };
        let by_shape = if size >= 4 && shape >= 85 { 56 + shape / 4 + size / 3 } else { 0 };
        // Nobody has two fields of one name in two spellings that mean different things.
        let by_name = if last == 100 { 85 } else { 0 };
        let weighed = (last * 60 + shape * 25) / 100 + 3 + only;
        let by_schema = if places.is_renamed { 80 } else { 0 };
        // Alone at its place, what both sides require, or what keeps most of what is in it, is seldom something else.
        let is_due =
            [old.get(places.old), new.get(places.new)].iter().all(|field| field.is_some_and(|its| its.required));
        let by_place = if places.is_only && form == Form::Same && (is_due && shape >= 90 || size >= 2 && shape >= 65) {
            76
        } else {
            0
        };
        (weighed.max(by_shape + only / 2).max(by_name).max(by_schema).max(by_place), last)
    } else {
        // A name that many fields have says little by itself.
        let name = whole.max(if size > 0 || !is_common(&names[0]) { last * 9 / 10 } else { last * 6 / 10 });
        let far = 3 * to_u32(own.len() + its.len() - 2).min(4);
        let only = if places.is_only { 8 } else { 0 };
        (((name * 60 + shape * 35) / 100 + only).saturating_sub(far), name)
    };
    let confidence = match form {
        Form::Same => confidence,
        // A person says whether the rest can go, or where in a list a value is.
        Form::Joined | Form::Key(_, false) | Form::OfList(false) | Form::OfKey(_, false) => {
            confidence.saturating_sub(4).min(SURE - 1)
        }
        Form::Item | Form::Key(_, true) | Form::OfList(true) | Form::OfKey(_, true) | Form::Entries(..) => {
            confidence.saturating_sub(4)
        }
        // A person says what a value means as another type.
        Form::Other => confidence.min(SURE - 1),
    };
    // A person says whether the value is another one where the names say so, or where nothing but what it accepts says that it is the same.
    let is_unnamed = size == 0 && whole < 70 && !are_alike(keys[0], keys[1]);
    let [from, new] =
        [places.from, places.new].map(|place| FieldPattern::new(place.parts()[shared..].to_vec()).to_string());
    let most = if is_unnamed || mean_different(keys[0], keys[1]) || are_opposed(&from, &new) { SURE - 1 } else { 97 };
    let confidence = confidence.min(most);
    let reason = reason(old, places, &form, [name, shape], stays);
    Some(Score { form, confidence, reason })
}

/// Returns the words of each key; `None` where there is an item or a value between them, so that nothing can be moved there.
fn words_of(parts: &[Part]) -> Option<Vec<Vec<String>>> {
    let of_key = |part: &Part| match part {
        Part::Key(key) => Some(words(key)),
        Part::Items | Part::Values => None,
    };
    let keys: Option<Vec<_>> = parts.iter().map(of_key).collect();
    keys.filter(|keys| !keys.is_empty())
}

/// Returns whether a name is one that fields of any meaning have.
fn is_common(words: &[String]) -> bool {
    const COMMON: [&str; 12] =
        ["name", "type", "kind", "value", "enabled", "mode", "port", "namespace", "key", "spec", "config", "group"];
    matches!(words, [word] if COMMON.contains(&word.as_str()))
}

/// Says what speaks for it.
fn reason(old: &Side<'_>, places: &Places<'_>, form: &Form, [name, shape]: [u32; 2], stays: bool) -> String {
    let name = match name {
        100 if stays && last_key(places.old) != last_key(places.new) => "the same name in another spelling",
        100 => "the same name",
        75.. => "names that are alike",
        50.. => "names that share words",
        _ => "other names",
    };
    let kind = old.kind(places.old).map_or("value", Type::name);
    let shape = match (form, shape, old.size(places.old)) {
        (Form::Item, ..) => format!("a list of what it was, {kind}"),
        (Form::Joined, ..) => format!("a list of what it was, {kind}, which was there before"),
        (Form::Key(key, _), ..) => format!("a mapping whose {key} is what it was, {kind}"),
        (Form::OfList(true), ..) => format!("the only item of the list that it was, {kind}"),
        (Form::OfList(false), ..) => format!("an item of the list that it was, {kind}"),
        (Form::OfKey(key, true), ..) => format!("the {key} of the mapping that it was, which had no other key"),
        (Form::OfKey(key, false), ..) => format!("the {key} of the mapping that it was"),
        (Form::Entries(..), ..) => "a list of its entries".to_owned(),
        (Form::Other, ..) => format!("another type than {kind}"),
        (Form::Same, ..) if places.is_renamed => {
            format!("the same schema, {kind}; no other one that went or came there has it")
        }
        (Form::Same, 85.., size @ 1..) => format!("the same fields in it ({size})"),
        (Form::Same, _, 1..) => format!("{shape} % of the fields in it"),
        (Form::Same, ..) => format!("the same type, {kind}"),
    };
    let only = match (places.is_only && !places.is_renamed, stays) {
        (true, true) => "; no other one of this form went or came there",
        (true, false) => "; no other one of this name went or came",
        (false, _) => "",
    };
    format!("{name}, {shape}{only}")
}
