//! What becomes of values of charts, and of the objects in them, that stand in texts, where Kustomize builds something of the objects or patches that hold them?
//!
//! Invariant: such values are converted only where every final object that has them makes the same of them; where only a final object
//! shows that a text holds values, and something would become of them, they are reported.

use std::collections::BTreeMap;

use serde_json::Value;

use super::built_created;
use super::built_objects::BuiltObjects;
use super::instructions::CONVERT_BOTH;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, Remark};
use crate::engine::finding::Code;
use crate::engine::manifest::{Object, beside, objects_in, values_in};
use crate::knowledge::carrier::Carried;
use crate::syntax::field::FieldPath;

/// The values of charts in texts of the objects and patches of a group.
pub(super) struct BuiltTexts<'b> {
    tied: &'b TiedFiles<'b>,
    objects: &'b BuiltObjects<'b>,
    /// Those that are converted where they stand, by what holds them.
    converted: BTreeMap<Id, Vec<TextValues<'b>>>,
}

/// Values in a text.
struct TextValues<'b> {
    id: Id,
    /// What holds them, and the place of the text there.
    holder: &'b Object,
    place: FieldPath,
}

impl<'b> BuiltTexts<'b> {
    pub(super) fn new(tied: &'b TiedFiles<'b>, objects: &'b BuiltObjects<'b>) -> Self {
        let mut converted: BTreeMap<Id, Vec<TextValues<'_>>> = BTreeMap::new();
        for (id, manifest, object) in tied.objects().filter(|(_, _, object)| object.is_values() || object.is_created())
        {
            let Some(text) = object.inline_patch.map(|number| &manifest.inline_patches[number]) else { continue };
            let Some((at, holder)) = manifest.holder(text.document, &text.place) else { continue };
            if let Some(place) = holder.path_of(text.document, &text.place) {
                converted.entry(Id { at, ..id }).or_default().push(TextValues { id, holder, place });
            }
        }
        Self { tied, objects, converted }
    }

    /// Holds back the values in texts of `parts` of which something else would become in `built`, which is made of these parts of `base`,
    /// where it is known.
    pub(super) fn held(&self, base: Id, parts: &[Id], built: Option<&Value>) -> Vec<(Id, Conversion)> {
        let held = |values: &TextValues<'_>| {
            let own = self.tied.conversion(values.id).filter(|own| !own.program.is_empty())?;
            if built.is_some_and(|built| self.are_kept(values, built)) {
                return None;
            }
            let message = format!(
                "{} has a patch or replacement that gives these values another chart, or writes others",
                self.tied.object(base).title()
            );
            let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message).help(CONVERT_BOTH);
            let own = own.clone().hold_back(self.tied.object(values.id));
            Some((values.id, Conversion { blocks: vec![remark], ..own }))
        };
        parts.iter().filter_map(|part| self.converted.get(part)).flatten().filter_map(held).collect()
    }

    /// Returns whether values, or an object in them, become in `built` what they become where they stand.
    fn are_kept(&self, TextValues { id, holder, place }: &TextValues<'_>, built: &Value) -> bool {
        let own = self.tied.object(*id).clone();
        let own = if own.is_created() { Some(own) } else { self.with_version(own, holder, place, built) };
        let Some(own) = own.filter(|_| place.get(built) == place.get(&holder.value)) else { return false };
        let made = self.objects.converted_values_alone(*id, &own);
        let result = |made: Option<&Conversion>| made.map(|made| (made.program.clone(), made.unresolved.is_empty()));
        result(made.as_ref()) == result(self.tied.conversion(*id))
    }

    /// Returns the values in a text at this place with the version that `built` names; `None` where that has them for another chart.
    fn with_version(&self, values: Object, holder: &Object, place: &FieldPath, built: &Value) -> Option<Object> {
        let around = self.tied.targets.goal.packs.carriers().in_object(&holder.kind, built);
        // A patch need not name the chart.
        let is_same = |one: &Carried<'_>| {
            let own = one.place.get(&holder.value);
            let named = |field: &FieldPath| own.and_then(|own| field.get(own));
            one.carrier.naming_chart().all(|field| named(field).is_none_or(|name| Some(name) == field.get(one.around)))
        };
        let mut around = around.into_iter().filter(|one| place.starts_with(&one.place) && is_same(one));
        Some(beside(&around.find(|one| !one.carrier.values_text.is_empty())?, values))
    }

    /// Reports the texts of `built`, which is made of these parts of `base`, that would be converted and are not: at the last part that
    /// has the text, else at the object itself.
    pub(super) fn unconverted(&self, base: Id, parts: &[Id], built: &Value) -> Vec<(Id, Remark)> {
        let mut found = Vec::new();
        for carried in self.tied.targets.goal.packs.carriers().in_object(&self.tied.object(base).kind, built) {
            let texts = carried.carrier.values_text.iter().flat_map(|text| text.matches(carried.around));
            for place in texts.map(|path| carried.place.join(&path)) {
                let has_text = |part: &&Id| place.get(&self.tied.object(**part).value) == place.get(built);
                let part = *parts.iter().find(has_text).unwrap_or(&base);
                let mut converted = self.converted.get(&part).into_iter().flatten();
                if converted.any(|values| values.place == place) {
                    continue;
                }
                let charts = self.tied.targets.goal.targets.iter().flat_map(|target| target.pack.charts());
                let named = charts.filter(|chart| carried.carrier.names_chart(carried.around, &chart.name));
                let text = place.text(built).filter(|_| carried.carrier.has_texts_of_charts());
                let objects = text.map(objects_in).unwrap_or_default();
                let first = objects.iter().find(|object| self.changes(base, object));
                found.extend(first.map(|object| (part, built_created::unconverted(&place, object))));
                for chart in named.filter(|chart| self.is_converted(base, &carried, place.text(built), &chart.name)) {
                    let message = format!(
                        "{place} holds values of the chart {}, as Kustomize builds it, that are not converted",
                        chart.name
                    );
                    let remark = Remark::new(Code::ValuesNotConverted, place.clone(), message);
                    found.push((part, remark.help("convert them by hand, or name the chart beside them")));
                }
            }
        }
        found
    }

    /// Returns whether something would become of a text with values of `chart`, or what it holds is not known.
    fn is_converted(&self, base: Id, carried: &Carried<'_>, text: Option<&str>, chart: &str) -> bool {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return false };
        values_in(carried, text, chart).map_or(true, |values| self.changes(base, &values))
    }

    /// Returns whether something becomes of values, or of an object in them.
    fn changes(&self, base: Id, object: &Object) -> bool {
        self.objects.converted_values_alone(base, object).is_some_and(|made| made.needs_change())
    }
}
