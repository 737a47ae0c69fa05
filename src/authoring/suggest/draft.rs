//! The rules about the fields of one kind.

use serde_json::Value;

use super::changes::{Changes, DefaultChange, OpenDefault, Required, ValueChange, changes};
use super::pairing::{Moved, Unsure};
use super::rule::{RuleDraft, Sort, Suggestion};
use super::score::Form;
use super::skeleton::Sample;
use super::step::{Span, cases_of};
use super::text::{constant, field, slug, text, with_article};
use super::unions::{Branch, Union};
use crate::authoring::renames::last_key;
use crate::authoring::starter::{MARK, QUOTE};
use crate::knowledge::catalog::{Catalog, Type};
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseId};
use crate::syntax::field::{FieldPattern, Part};

/// One kind on both sides, and how its releases are called.
pub(super) struct Subject<'s, 'c> {
    pub(super) sample: Sample<'s, 'c>,
    /// What an object does between the two apiVersions.
    pub(super) span: Span,
    /// The kind in every apiVersion, on both sides.
    pub(super) catalogs: [(&'s Catalog, ReleaseId); 2],
    /// The bundles.
    pub(super) bundles: [&'s str; 2],
    /// The name of the pack.
    pub(super) pack: &'s str,
}

/// The rules of a kind; the fields that its new release requires and that no rule can write, and defaults that no rule keeps.
#[derive(Default)]
pub(super) struct Drafted {
    pub(super) rules: Vec<RuleDraft>,
    pub(super) hints: Vec<Suggestion>,
}

impl Subject<'_, '_> {
    /// Drafts the rules.
    pub(super) fn draft(&self) -> Drafted {
        let changes = changes(self.sample.old, self.sample.new);
        let mut drafted = Drafted::default();
        for moved in &changes.pairing.moved {
            self.moved(&changes, moved, &mut drafted.rules);
        }
        for union in &changes.unions {
            drafted.hints.extend(self.hint_of(union));
            for branch in &union.branches {
                self.branch(&changes, union, branch, &mut drafted.rules);
            }
        }
        for change in &changes.values {
            self.values(&changes, change, &mut drafted.rules);
        }
        for (old, new) in &changes.pairing.reformed {
            self.reformed(&changes, [old, new], &mut drafted.rules);
        }
        for unsure in &changes.unsure {
            self.gone(&changes, unsure, &mut drafted.rules);
        }
        for change in &changes.defaults {
            self.default(&changes, change, &mut drafted.rules);
        }
        drafted.hints.extend(changes.open_defaults.iter().map(|change| self.open_default(change)));
        for required in &changes.required {
            self.required(&changes, required, &mut drafted);
        }
        for rule in &mut drafted.rules {
            if self.span == Span::Releases && rule.roots.iter().any(|root| self.is_shared(root)) {
                rule.only_of(&self.sample.sides[0].1);
            }
            let has_twin = rule.cases.iter().any(|case| case.files.iter().any(|(file, _)| *file == "same.yaml"));
            if let Some([old, _]) = rule.roots.first().filter(|_| !has_twin) {
                rule.cases.push(self.sample.unchanged(old));
            }
            let cases = std::mem::take(&mut rule.cases);
            rule.cases = cases.into_iter().flat_map(|case| cases_of(case, self.span, self.bundles[1])).collect();
        }
        drafted
    }

    /// Returns whether the fields of a change show nothing, as another apiVersion has what went, or had what came.
    fn is_shared(&self, [old, new]: &[FieldPattern; 2]) -> bool {
        let [(before, older), (after, newer)] = self.catalogs;
        let is_same = self.sample.sides[0] == self.sample.sides[1];
        let went = self.sample.new.get(old).is_none() && after.has(old, newer);
        let came = self.sample.old.get(new).is_none() && before.has(new, older);
        is_same && (went || came)
    }

    /// Returns the release whose folder has its rules: that with which the newer apiVersion came.
    fn bundle(&self) -> &str {
        self.bundles[usize::from(self.span != Span::Left)]
    }

    /// Returns the apiVersions that its rules are between.
    fn versions(&self) -> Option<[ApiVersion; 2]> {
        self.span.is_between().then(|| self.sample.sides.each_ref().map(|(_, version)| version.clone()))
    }

    fn kind(&self) -> &GroupKind {
        &self.sample.sides[0].0
    }

    /// Makes what a suggestion says.
    fn suggestion(
        &self,
        sort: Sort,
        old: &impl ToString,
        new: impl ToString,
        confidence: u32,
        reason: &str,
    ) -> Suggestion {
        Suggestion {
            kind: self.kind().clone(),
            old: old.to_string(),
            sort,
            new: new.to_string(),
            confidence,
            reason: reason.to_owned(),
            is_sure: true,
            file: String::new(),
            new_kind: self.sample.sides[1].0.clone(),
            versions: self.versions(),
        }
    }

    /// Returns the rule that a change of a field belongs to: that of what it is in, or a new one.
    fn rule<'r>(
        &self,
        rules: &'r mut Vec<RuleDraft>,
        [old, new]: [&FieldPattern; 2],
        name: &str,
        summary: impl FnOnce() -> String,
    ) -> &'r mut RuleDraft {
        let is_around = |rule: &RuleDraft| {
            rule.roots.iter().any(|[before, after]| old.starts_with(before) || new.starts_with(after))
        };
        let Some(at) = rules.iter().position(is_around) else {
            return self.own_rule(rules, [old, new], name, summary);
        };
        rules[at].roots.push([old.clone(), new.clone()]);
        &mut rules[at]
    }

    /// Returns a new rule for a change of a field.
    fn own_rule<'r>(
        &self,
        rules: &'r mut Vec<RuleDraft>,
        [old, new]: [&FieldPattern; 2],
        name: &str,
        summary: impl FnOnce() -> String,
    ) -> &'r mut RuleDraft {
        rules.push_mut(RuleDraft {
            name: format!("{}-{name}", self.kind().kind.to_lowercase()),
            bundle: self.bundle().to_owned(),
            summary: summary(),
            kinds: vec![self.kind().clone()],
            versions: self.versions(),
            needs_from: false,
            notes: Vec::new(),
            lens: Vec::new(),
            cases: Vec::new(),
            suggestions: Vec::new(),
            roots: vec![[old.clone(), new.clone()]],
        })
    }

    /// Drafts the operations for what became another field.
    fn moved(&self, changes: &Changes<'_, '_>, moved: &Moved, rules: &mut Vec<RuleDraft>) {
        let Moved { old, from, new, score } = moved;
        let above = |pattern: &FieldPattern| pattern.split_last().map(|(above, _)| above);
        let stays = above(from) == above(new);
        let name = match (stays, from == new) {
            (_, true) => format!("{}-has-another-form", slug(old)),
            (true, _) => format!("{}-renamed-to-{}", slug(old), last_key(new).unwrap_or_default().to_lowercase()),
            (false, _) => format!("{}-moved-to-{}", slug(old), slug(new)),
        };
        let kind = with_article(&self.kind().kind);
        let form = match &score.form {
            Form::Same => String::new(),
            Form::Item => ", as a list".to_owned(),
            Form::Joined => ", as an item of the list".to_owned(),
            Form::Key(key, _) => format!(", under the key {key}"),
            Form::OfList(_) => ", without the list".to_owned(),
            Form::OfKey(key, _) => format!(", without the key {key}"),
            Form::Entries(..) => ", as a list of entries".to_owned(),
            Form::Other => ", as another type".to_owned(),
        };
        let summary = || match from == new {
            true => format!("what {kind} has in {old} is there{form}"),
            false => format!("what {kind} has in {old} is in {new}{form}"),
        };
        // What gets into one branch of a union is one rule.
        let branch = changes.branch(new);
        let name = branch.map_or(name, |(union, branch)| branch_name(union, branch));
        let root = branch.map_or(new, |(_, branch)| &branch.member);
        let sort = match (from == new, stays) {
            (true, _) if matches!(score.form, Form::Entries(..)) => Sort::Form,
            (true, _) if unwraps(&score.form) => Sort::Unwrap,
            (true, _) => Sort::Wrap,
            (_, true) => Sort::Rename,
            (_, false) => Sort::Move,
        };
        let mut made = vec![self.suggestion(sort, old, new, score.confidence, &score.reason)];
        if sort != Sort::Wrap && matches!(score.form, Form::Item | Form::Key(..)) {
            made.push(self.suggestion(Sort::Wrap, old, new, score.confidence, &score.reason));
        }
        if sort != Sort::Unwrap && unwraps(&score.form) {
            made.push(self.suggestion(Sort::Unwrap, old, new, score.confidence, &score.reason));
        }
        let case = match sort {
            Sort::Wrap | Sort::Unwrap | Sort::Form => "reformed",
            Sort::Rename => "renamed",
            _ => "moved",
        };
        let rule = self.rule(rules, [old, root], &name, summary);
        rule.notes.push(format!("{} %: {old} -> {new}{form}: {}", score.confidence, score.reason));
        rule.suggestions.append(&mut made);
        rule.lens.extend(operations(from, new, &score.form));
        let count = rule.cases.len();
        let name = if count == 0 { case.to_owned() } else { format!("{case}-{}", slug(old)) };
        rule.cases.extend(self.sample.converted(changes, moved, &name));
        let name = if count == 0 { "not-back".to_owned() } else { format!("not-back-{}", slug(new)) };
        rule.cases.extend(self.sample.not_back(changes, moved, &name));
        let name = if count == 0 { "held-back".to_owned() } else { format!("held-back-{}", slug(old)) };
        rule.cases.extend(self.sample.not_unwrapped(changes, moved, &name));
    }

    /// Drafts the table of values that are called otherwise, and a choice for those whose successor is open.
    fn values(&self, changes: &Changes<'_, '_>, change: &ValueChange, rules: &mut Vec<RuleDraft>) {
        let ValueChange { old, new, table, open, free } = change;
        let kind = with_article(&self.kind().kind);
        let summary = || format!("values of {old} of {kind} are called otherwise, or are gone");
        let mut made: Vec<Suggestion> = Vec::new();
        let unquoted = self.unquoted(change);
        for (before, after, confidence, reason) in table {
            made.push(self.suggestion(
                Sort::Value,
                &format!("{old}={}", constant(before)),
                constant(after),
                *confidence,
                reason,
            ));
        }
        for value in open {
            let others: Vec<String> = free.iter().map(constant).collect();
            let reason = match others.as_slice() {
                [] => "no value came that it could be".to_owned(),
                _ => format!("no value that came is surely the same: {}", others.join(", ")),
            };
            let reason = reason + &unquoted;
            let mut open = self.suggestion(Sort::Removal, &format!("{old}={}", constant(value)), "", 0, &reason);
            open.is_sure = false;
            made.push(open);
        }
        let rule = self.rule(rules, [old, new], &format!("{}-values", slug(old)), summary);
        if !table.is_empty() {
            let pairs: Vec<String> =
                table.iter().map(|(before, after, ..)| format!("{}: {}", constant(before), constant(after))).collect();
            for (before, after, confidence, reason) in table {
                rule.notes.push(format!(
                    "{confidence} %: {old}: {} -> {}: {reason}",
                    constant(before),
                    constant(after)
                ));
                let name = format!("value-{}", slug_of(before));
                let [before, after] =
                    [(old, before), (new, after)].map(|(field, value)| vec![(field.clone(), value.clone())]);
                rule.cases.push(self.sample.completed(changes, before, after, &name));
            }
            rule.lens.push(format!("values: {{ field: {}, table: {{ {} }} }}", field(new), pairs.join(", ")));
        }
        for value in open {
            let others: Vec<String> = free.iter().map(constant).collect();
            let came = if others.is_empty() { String::new() } else { format!("; what came is {}", others.join(", ")) };
            let reason = format!("{} does not allow {}", self.bundles[1], constant(value));
            let help = format!("{MARK}: what to write instead{came}{unquoted}");
            rule.lens.push(refuse(
                &format!("equals: {{ field: {}, value: {} }}", field(new), constant(value)),
                new,
                &reason,
                &help,
            ));
            let name = format!("held-back-{}", slug_of(value));
            rule.cases.push(self.sample.held_back(changes, old, value.clone(), "not-convertible", &name));
        }
        rule.suggestions.append(&mut made);
    }

    /// Says that what a CRD lists as true or false for a text is a word without the quotes that it needs.
    fn unquoted(&self, change: &ValueChange) -> String {
        let is_text = |kind: Option<Type>| kind == Some(Type::String);
        let gone = change.open.iter().filter(|_| is_text(self.sample.old.kind(&change.old)));
        let came = change.free.iter().filter(|_| is_text(self.sample.new.kind(&change.new)));
        let wrong: Vec<String> = gone.chain(came).filter(|value| value.is_boolean()).map(constant).collect();
        if wrong.is_empty() { String::new() } else { format!("; a text is never {}: {QUOTE}", wrong.join(" or ")) }
    }

    /// Drafts a choice for a field whose type is another one.
    fn reformed(&self, changes: &Changes<'_, '_>, [old, new]: [&FieldPattern; 2], rules: &mut Vec<RuleDraft>) {
        let (Some(before), Some(after)) = (self.sample.old.kind(old), self.sample.new.kind(new)) else { return };
        // A value of any form can be right in both.
        let Some(form) = word_of(before).filter(|form| word_of(after).is_some_and(|after| after != *form)) else {
            return;
        };
        let reason = format!("its type changed from {} to {}", before.name(), after.name());
        let mut suggestion = self.suggestion(Sort::Form, old, new, 0, &reason);
        suggestion.is_sure = false;
        let kind = with_article(&self.kind().kind);
        let summary = || format!("{old} of {kind} is {} instead of {}", after.name(), before.name());
        let rule = self.rule(rules, [old, new], &format!("{}-has-another-type", slug(old)), summary);
        rule.notes.push(format!("{old}: {reason}"));
        rule.suggestions.push(suggestion);
        let why = format!("in {} it is {} instead of {}", self.bundles[1], after.name(), before.name());
        let help = format!("{MARK}: what to write, or in place of this the operation that converts it");
        rule.lens.push(refuse(&format!("type: {{ field: {}, is: {form} }}", field(new)), new, &why, &help));
        if let Some(value) = self.sample.value(changes, old, 0) {
            rule.cases.push(self.sample.held_back(changes, old, value, "not-convertible", "held-back"));
        }
    }

    /// Drafts the removal of a field, or a choice between what it may have become.
    fn gone(&self, changes: &Changes<'_, '_>, unsure: &Unsure, rules: &mut Vec<RuleDraft>) {
        let Unsure { old, from, candidates } = unsure;
        let kind = with_article(&self.kind().kind);
        let value = || self.sample.value(changes, old, 0).unwrap_or_else(|| serde_json::json!("example"));
        if candidates.is_empty() {
            let mut suggestion = self.suggestion(Sort::Removal, old, "", 0, "nothing came that it surely is");
            suggestion.is_sure = false;
            let summary = || format!("{kind} has no {old}");
            let rule = self.rule(rules, [old, from], &format!("{}-removed", slug(old)), summary);
            rule.notes.push(format!("{old} is gone, and nothing came that it surely is"));
            rule.suggestions.push(suggestion);
            let reason = format!("{MARK}: why {} does without it", self.bundles[1]);
            rule.lens.push(format!("drop: {{ field: {}, reason: {} }}", field(from), text(&reason)));
            let name = slug(old);
            rule.cases.push(self.sample.held_back(
                changes,
                old,
                value(),
                "dropped-field",
                &format!("held-back-{name}"),
            ));
            rule.cases.push(self.sample.dropped(changes, old, &value(), &format!("dropped-{name}")));
            return;
        }
        let summary = || format!("{kind} has no {old}; what it became is to be chosen");
        let mut made = Vec::new();
        for (new, score) in candidates {
            let mut suggestion = self.suggestion(sort_of(from, new), old, new, score.confidence, &score.reason);
            suggestion.is_sure = false;
            made.push(suggestion);
        }
        let rule = self.rule(rules, [old, from], &format!("{}-is-open", slug(old)), summary);
        rule.notes.push(format!(
            "{old} is gone. It may have become one of these; write the operations in place of the refusal:"
        ));
        for (new, score) in candidates {
            rule.notes.push(format!("{} %: {old} -> {new}: {}", score.confidence, score.reason));
            rule.notes.extend(operations(from, new, &score.form).iter().map(|operation| format!("  - {operation}")));
        }
        rule.suggestions.append(&mut made);
        let reason = format!("{} has no {from}", self.bundles[1]);
        let help = format!("{MARK}: what to do by hand, where none of the operations above is right");
        rule.lens.push(refuse(&format!("present: {}", field(from)), from, &reason, &help));
        let name = format!("held-back-{}", slug(old));
        rule.cases.push(self.sample.held_back(changes, old, value(), "not-convertible", &name));
    }

    /// Drafts that the meaning of a field that is not written is kept.
    fn default(&self, changes: &Changes<'_, '_>, change: &DefaultChange, rules: &mut Vec<RuleDraft>) {
        let DefaultChange { field: at, old, new } = change;
        let reason = format!("its default was {old}");
        let suggestion = self.suggestion(Sort::Default, at, new, 95, &reason);
        let kind = with_article(&self.kind().kind);
        let summary = || format!("the default of {at} of {kind} is {new} instead of {old}");
        // Nothing shows the side of an object without the field, whatever else of it is converted.
        let rule = self.own_rule(rules, [at, at], &format!("{}-has-another-default", slug(at)), summary);
        rule.needs_from = !self.span.is_between();
        rule.notes.push(format!("95 %: the default of {at} changed from {old} to {new}"));
        rule.suggestions.push(suggestion);
        rule.lens.push(format!(
            "changed-default: {{ field: {}, old: {old}, new: {new}, parameter: {}.defaults }}",
            field(at),
            self.pack
        ));
        rule.cases.extend(self.sample.frozen(changes, change, &slug(at)));
    }

    /// Says that a field which is not written means something else, where nothing shows whether that is to be kept.
    fn open_default(&self, OpenDefault { fields: [old, new], sides }: &OpenDefault) -> Suggestion {
        let reason = match sides {
            [Some(old), Some(new)] => format!("its default was {old}, and is {new}"),
            [Some(old), None] => format!("its default was {old}, and it has none now"),
            [None, Some(new)] => format!("it had no default, and has {new}"),
            [None, None] => unreachable!("the sides differ"),
        };
        let new = if old == new { String::new() } else { new.to_string() };
        let mut hint = self.suggestion(Sort::Default, old, new, 0, &reason);
        hint.is_sure = false;
        hint
    }

    /// Drafts what writes a required field; where its value is open, that is said in a hint.
    fn required(&self, changes: &Changes<'_, '_>, required: &Required, drafted: &mut Drafted) {
        let Required { field: at, value } = required;
        let Some((value, reason)) = value else {
            let reason = "the new release requires it, and nothing shows its value";
            drafted.hints.push(self.hint(at, "", reason));
            return;
        };
        // Where the rule does not run, as in a patch, a person writes it.
        drafted.hints.push(self.hint(at, &constant(value), "a rule writes it"));
        let reason = format!("{value} is {reason}");
        let suggestion = self.suggestion(Sort::Requirement, at, value, 85, &reason);
        let kind = with_article(&self.kind().kind);
        let summary = || format!("{kind} must have {at}");
        let rule = self.rule(&mut drafted.rules, [at, at], &format!("{}-is-required", slug(at)), summary);
        rule.notes.push(format!("85 %: {at} is required: {reason}"));
        rule.suggestions.push(suggestion);
        let is_new = changes.pairing.is_new(at);
        let back = if is_new { ", backward: elide" } else { "" };
        rule.lens.push(format!("default: {{ field: {}, value: {value}, forward: write{back} }}", field(at)));
        if let Some((around, _)) = at.split_last() {
            let before = vec![(changes.pairing.source(&around), serde_json::json!({}))];
            let after = vec![(around, serde_json::json!({}))];
            rule.cases.push(self.sample.completed(changes, before, after, &format!("written-{}", slug(at))));
        }
    }

    /// Makes the hint of what to write in a required field where no rule writes it; a place to fill in where that is open.
    fn hint(&self, at: &FieldPattern, value: &str, reason: &str) -> Suggestion {
        let mut hint = self.suggestion(Sort::Requirement, at, value, if value.is_empty() { 0 } else { 85 }, reason);
        hint.kind = self.sample.sides[1].0.clone();
        hint.is_sure = !value.is_empty();
        hint
    }

    /// Makes the hint of what to write in the discriminator of a union.
    fn hint_of(&self, union: &Union) -> Option<Suggestion> {
        let is_due = self.sample.new.get(&union.discriminator).is_some_and(|its| its.required);
        let branch = |branch: &Branch| {
            let listed: Vec<String> = branch.values.iter().map(constant).collect();
            format!("{} beside {}", listed.join(" or "), last_key(&branch.member).unwrap_or_default())
        };
        let values: Vec<String> = union.branches.iter().map(branch).collect();
        is_due
            .then(|| self.hint(&union.discriminator, &values.join(", "), "a rule writes it where a member is present"))
    }

    /// Drafts what writes the discriminator of a union beside one of its members.
    fn branch(&self, changes: &Changes<'_, '_>, union: &Union, branch: &Branch, rules: &mut Vec<RuleDraft>) {
        let (Union { at, discriminator, .. }, Branch { member, values, is_checked, reason }) = (union, branch);
        let old = changes.pairing.source(member);
        let kind = with_article(&self.kind().kind);
        let listed: Vec<String> = values.iter().map(constant).collect();
        let listed = listed.join(" or ");
        let summary = || format!("{kind} with {member} has {discriminator}: {listed}");
        let value = branch.value();
        let confidence = if *is_checked { 95 } else { 85 };
        let new = format!("{discriminator}={listed}");
        let mut suggestion = self.suggestion(Sort::Union, member, &new, confidence, reason);
        suggestion.is_sure = value.is_some();
        let rule = self.rule(rules, [&old, member], &branch_name(union, branch), summary);
        rule.notes.push(format!("{confidence} %: {member} goes with {discriminator}: {listed}: {reason}"));
        rule.suggestions.push(suggestion);
        let key = |place: &FieldPattern| place.below(at).expect("it is in the union");
        let (own, its) = (field(&key(member)), field(&key(discriminator)));
        let each = if at.parts().is_empty() { String::new() } else { format!("each: {}, ", field(at)) };
        let help = format!("{MARK}: which of {listed} to write");
        let why = Value::from(format!("{} requires {discriminator} beside it", self.bundles[1]));
        rule.lens.push(match value {
            Some(value) => format!(
                "when: {{ {each}if: {{ present: {own} }}, then: [{{ default: {{ field: {its}, value: {}, forward: write{} }} }}] }}",
                constant(value),
                if changes.pairing.is_new(discriminator) { ", backward: elide" } else { "" },
            ),
            None => format!(
                "when: {{ {each}if: {{ all: [{{ present: {own} }}, {{ absent: {its} }}] }}, then: [{{ refuse: {{ direction: forward, at: {own}, reason: {why}, help: {} }} }}] }}",
                Value::from(help),
            ),
        });
        let sources = sources(changes, branch);
        // Of what moved alone there is a case.
        if sources.len() > 1 || sources.contains(&old) {
            let name = format!("with-{}", slug(&key(member)));
            rule.cases.extend(self.sample.branch(changes, &sources, &name));
        }
        let first = union.branches.iter().min_by_key(|other| branch_name(union, other));
        let Some((first, value)) = first.filter(|first| *first != branch && !is_checked).zip(value) else { return };
        // Its rule runs first, and no schema says that one excludes the other.
        let new = changes.pairing.image(&sources[0]);
        let shown = field(&new.below(at).expect("it is in the union"));
        let reason = format!("{} allows one of {} and {own}", self.bundles[1], field(&key(&first.member)));
        let (reason, help) = (Value::from(reason), Value::from("keep one of them"));
        rule.lens.push(format!(
            "when: {{ {each}if: {{ all: [{{ present: {own} }}, {{ not: {{ equals: {{ field: {its}, value: {} }} }} }}] }}, then: [{{ refuse: {{ direction: forward, at: {shown}, reason: {reason}, help: {help} }} }}] }}",
            constant(value),
        ));
        let both = [self::sources(changes, first), sources].concat();
        let name = format!("held-back-with-{}", slug(&key(&first.member)));
        rule.cases.extend(self.sample.both_branches(changes, &both, &changes.pairing.source(&new), &name));
    }
}

/// Returns the fields of the old side that get into a branch of a union.
fn sources(changes: &Changes<'_, '_>, branch: &Branch) -> Vec<FieldPattern> {
    let moved = changes.pairing.moved.iter().filter(|moved| moved.new.starts_with(&branch.member));
    let moved: Vec<FieldPattern> = moved.map(|moved| moved.old.clone()).collect();
    if moved.is_empty() { vec![changes.pairing.source(&branch.member)] } else { moved }
}

/// Makes the name of the rule of a branch of a union.
fn branch_name(union: &Union, branch: &Branch) -> String {
    match branch.value() {
        Some(value) => format!("{}-is-{}", slug(&union.discriminator), slug_of(value)),
        None => format!("{}-with-{}", slug(&union.discriminator), slug(&branch.member)),
    }
}

/// Returns whether a value takes the place of what it was in.
const fn unwraps(form: &Form) -> bool {
    matches!(form, Form::OfList(_) | Form::OfKey(..))
}

/// Returns what a conversion from one place to another is.
fn sort_of(from: &FieldPattern, new: &FieldPattern) -> Sort {
    let above = |pattern: &FieldPattern| pattern.split_last().map(|(above, _)| above);
    if above(from) == above(new) { Sort::Rename } else { Sort::Move }
}

/// Writes the operations that make one field another one.
fn operations(from: &FieldPattern, new: &FieldPattern, form: &Form) -> Vec<String> {
    if *form == Form::Joined {
        let name = text(last_key(new).unwrap_or_default());
        return vec![format!("join: {{ field: {}, to: {name}, position: first }}", field(from))];
    }
    let mut operations = match sort_of(from, new) {
        _ if from == new => Vec::new(),
        Sort::Rename => {
            vec![format!("rename: {{ field: {}, to: {} }}", field(from), text(last_key(new).unwrap_or_default()))]
        }
        _ => vec![format!("move: {{ from: {}, to: {} }}", field(from), field(new))],
    };
    match form {
        Form::Same | Form::Other | Form::Joined => {}
        Form::Item => operations.push(format!("wrap: {{ field: {} }}", field(new))),
        Form::Key(key, _) => operations.push(format!("wrap: {{ field: {}, key: {} }}", field(new), text(key))),
        Form::OfList(_) => operations.push(format!("unwrap: {{ field: {} }}", field(new))),
        Form::OfKey(key, _) => operations.push(format!("unwrap: {{ field: {}, key: {} }}", field(new), text(key))),
        Form::Entries(key, value) => {
            operations.push(format!(
                "entries: {{ field: {}, key: {}, value: {} }}",
                field(new),
                text(key),
                text(value)
            ));
        }
    }
    operations
}

/// Writes a refusal on the way to the new side.
fn refuse(test: &str, at: &FieldPattern, reason: &str, help: &str) -> String {
    let (reason, help) = (Value::from(reason), Value::from(help));
    format!("refuse: {{ direction: forward, if: {{ {test} }}, at: {}, reason: {reason}, help: {help} }}", field(at))
}

/// Returns the word with which a condition tests for values of a type; `None` where values have several forms.
const fn word_of(kind: Type) -> Option<&'static str> {
    match kind {
        Type::Array => Some("list"),
        Type::Boolean => Some("bool"),
        Type::Integer | Type::Number => Some("number"),
        Type::Object => Some("map"),
        Type::String => Some("string"),
        Type::Any | Type::IntegerOrString | Type::Quantity => None,
    }
}

/// Makes a part of the name of a case of a value.
fn slug_of(value: &Value) -> String {
    slug(&FieldPattern::new([Part::Key(constant(value))]))
}
