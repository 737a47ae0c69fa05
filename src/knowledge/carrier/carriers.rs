//! Answers: what carries something in a document?
//!
//! Invariant: a carrier is found by the kind of an object, by the name of the file, or everywhere.

use std::collections::BTreeMap;

use serde_json::Value;

use super::carrier::{Carrier, CarrierFile};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::FieldPath;

/// All carriers of a run.
#[derive(Clone, Debug, Default)]
pub struct Carriers {
    triggers: Vec<String>,
    carriers: Vec<Carrier>,
    /// The numbers of the carriers by kind.
    by_kind: BTreeMap<GroupKind, Vec<usize>>,
    /// The numbers of those that files are known by.
    by_file: Vec<usize>,
    /// The numbers of those that are not known by anything.
    everywhere: Vec<usize>,
}

/// A mapping of a document that carries something.
#[derive(Clone, Debug)]
pub(crate) struct Carried<'a> {
    /// What it carries.
    pub carrier: &'a Carrier,
    /// Its place in the document.
    pub place: FieldPath,
    /// Its data.
    pub around: &'a Value,
}

impl Carriers {
    /// Makes the set of the carriers in `files`, in their order.
    pub fn new<'f>(files: impl IntoIterator<Item = &'f CarrierFile>) -> Self {
        let mut all = Self::default();
        for file in files {
            all.triggers.extend(file.triggers.iter().cloned());
            for carrier in &file.carriers {
                let number = all.carriers.len();
                all.carriers.push(carrier.clone());
                for kind in &carrier.kind {
                    all.by_kind.entry(kind.clone()).or_default().push(number);
                }
                if !carrier.file.is_empty() {
                    all.by_file.push(number);
                } else if carrier.kind.is_empty() {
                    all.everywhere.push(number);
                }
            }
        }
        all
    }

    /// Returns the texts that make a file worth reading.
    pub fn triggers(&self) -> &[String] {
        &self.triggers
    }

    /// Returns the carriers, in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, Carrier> {
        self.carriers.iter()
    }

    /// Returns those that are objects of `kind`.
    pub fn of_kind(&self, kind: &GroupKind) -> impl Iterator<Item = &Carrier> {
        self.by_kind.get(kind).into_iter().flatten().map(|number| &self.carriers[*number])
    }

    /// Returns those that documents of `file` are because of its name, whatever kind they have or lack.
    pub fn of_file(&self, file: &str) -> impl Iterator<Item = &Carrier> {
        let carriers = self.by_file.iter().map(|number| &self.carriers[*number]);
        carriers.filter(move |carrier| carrier.kind.is_empty() && carrier.is_called(file))
    }

    /// Returns the mappings of an object that carry something; their places are in the object.
    pub(crate) fn in_object<'a>(&'a self, kind: &GroupKind, object: &'a Value) -> Vec<Carried<'a>> {
        let root = FieldPath::default();
        self.of_kind(kind).flat_map(|carrier| carried(carrier, &root, object)).collect()
    }

    /// Returns the mappings of a document of `file` that carry something: of its objects, those in lists one by one, or of the
    /// document itself.
    pub(crate) fn in_document<'a>(&'a self, file: &str, document: &'a Value) -> Vec<Carried<'a>> {
        let mut found = Vec::new();
        let kind = kind(document);
        for number in &self.by_file {
            let carrier = &self.carriers[*number];
            let is_of_file = carrier.kind.is_empty() || kind.is_none();
            if is_of_file && carrier.is_called(file) {
                found.extend(carried(carrier, &FieldPath::default(), document));
            }
        }
        self.of_objects(&FieldPath::default(), document, &mut found);
        found
    }

    /// Collects those of the objects in `value`, which is at `place` of its document.
    fn of_objects<'a>(&'a self, place: &FieldPath, value: &'a Value, found: &mut Vec<Carried<'a>>) {
        let kind = kind(value);
        let is_list = kind.as_ref().is_some_and(|kind| kind.kind.ends_with("List"));
        if let Some(items) = value.get("items").and_then(Value::as_array).filter(|_| is_list) {
            let items = items.iter().enumerate();
            items.for_each(|(index, item)| self.of_objects(&place.key("items").index(index), item, found));
            return;
        }
        let of_kind = kind.iter().flat_map(|kind| self.of_kind(kind));
        let everywhere = self.everywhere.iter().map(|number| &self.carriers[*number]);
        found.extend(of_kind.chain(everywhere).flat_map(|carrier| carried(carrier, place, value)));
    }
}

/// Returns what `carrier` carries in `value`, which is at `place` of its document.
fn carried<'a>(carrier: &'a Carrier, place: &FieldPath, value: &'a Value) -> Vec<Carried<'a>> {
    let places = carrier.places(value).into_iter().filter_map(|path| Some((place.join(&path), path.get(value)?)));
    places.map(|(place, around)| Carried { carrier, place, around }).collect()
}

/// Returns the kind of an object, where it has both apiVersion and kind.
fn kind(value: &Value) -> Option<GroupKind> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    Some(GroupKind::new(text("kind")?, ApiVersion::parse(text("apiVersion")?).group))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn carriers(carriers: Value) -> Carriers {
        let file: CarrierFile = serde_json::from_value(json!({ "carriers": carriers })).unwrap();
        Carriers::new([&file])
    }

    #[track_caller]
    fn check(carriers: &Carriers, file: &str, document: Value, expected: &[&str]) {
        let found: Vec<String> =
            carriers.in_document(file, &document).into_iter().map(|carried| carried.place.to_string()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_carrier_is_known_by_its_kind_in_lists_too() {
        let shops = carriers(json!([{"kind": "Shop.example.com", "each": ["spec.front", "spec.stores[]"]}]));
        let shop = json!({"apiVersion": "example.com/v1", "kind": "Shop", "spec": {"front": {}, "stores": [{}, {}]}});
        check(&shops, "a.yaml", shop.clone(), &["spec.front", "spec.stores[0]", "spec.stores[1]"]);
        let other = json!({"apiVersion": "example.org/v1", "kind": "Shop", "spec": {"front": {}}});
        check(&shops, "a.yaml", other.clone(), &[]);
        let list = json!({"apiVersion": "v1", "kind": "List", "items": [other, shop]});
        let expected = ["items[1].spec.front", "items[1].spec.stores[0]", "items[1].spec.stores[1]"];
        check(&shops, "a.yaml", list, &expected);
    }

    #[test]
    fn a_file_is_known_by_its_name_or_by_its_folder() {
        let files = carriers(json!([{"file": ["shop.yaml", "shop.d/*"], "each": "stores[]"}]));
        let document = json!({"stores": [{}]});
        for (file, is_known) in [
            ("shop.yaml", true),
            ("a/shop.yaml", true),
            ("a/shop.d/b.yaml", true),
            ("shop.d/a/b.yaml", false),
            ("ashop.yaml", false),
        ] {
            check(&files, file, document.clone(), if is_known { &["stores[0]"] } else { &[] });
        }
    }

    #[test]
    fn a_file_gives_only_documents_without_a_kind_the_kind_of_the_carrier() {
        let both = carriers(json!([{"kind": "Shop.example.com", "file": "shop.yaml", "each": "spec"}]));
        let of_kind = |kind: &str| json!({"apiVersion": "example.com/v1", "kind": kind, "spec": {}});
        check(&both, "shop.yaml", of_kind("Shop"), &["spec"]);
        check(&both, "other.yaml", of_kind("Shop"), &["spec"]);
        check(&both, "shop.yaml", of_kind("Store"), &[]);
        check(&both, "shop.yaml", json!({"spec": {}}), &["spec"]);
        check(&both, "other.yaml", json!({"spec": {}}), &[]);
        let everywhere = carriers(json!([{"each": "spec"}]));
        check(&everywhere, "other.yaml", json!({"spec": {}}), &["spec"]);
    }

    #[test]
    fn a_field_with_a_chart_is_one_value() {
        let read = |chart: Value| serde_json::from_value::<Carrier>(json!({"kind": "A", "chart": chart}));
        assert!(read(json!({"name": "chart", "brought-by": "chartRef.name"})).is_ok());
        let error = read(json!({"name": "charts[].name"})).unwrap_err().to_string();
        assert_eq!(error, "the field must be one value: write `[]` and `{}` under `each`");
        assert!(read(json!({"brought-by": ["a", "b"]})).unwrap_err().to_string().contains("exactly one field"));
        assert!(read(json!({"title": "a"})).is_err());
    }
}
