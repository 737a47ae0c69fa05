//! Answers: which smaller tree breaks the law in the same way?
//!
//! Files, documents and values are removed one by one as long as the rest still breaks it.

use serde_json::Value;

use super::law::{self, Violation};
use super::tree::{File, Tree};

/// The number of trees that are tried: each takes a few builds.
const TRIES: usize = 60;

/// A place in a document.
type Place = Vec<Step>;

#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

/// Shrinks `tree`, and returns the violation of what is left.
pub(crate) fn shrink(tree: Tree, violation: Violation) -> (Tree, Violation) {
    let mut search = Search { tree, violation, left: TRIES };
    loop {
        let before = search.left;
        if !search.pass() || search.left == 0 || search.left == before {
            return (search.tree, search.violation);
        }
    }
}

struct Search {
    tree: Tree,
    violation: Violation,
    left: usize,
}

impl Search {
    /// Keeps `smaller` if it breaks the law like the tree.
    fn keep(&mut self, smaller: Tree) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        match law::check(&smaller) {
            Err(violation) if violation.fault == self.violation.fault => {
                (self.tree, self.violation) = (smaller, violation);
                true
            }
            _ => false,
        }
    }

    /// Tries to remove everything once; returns whether anything could be removed.
    fn pass(&mut self) -> bool {
        let mut is_smaller = false;
        for root in self.tree.roots.clone() {
            let mut smaller = self.tree.clone();
            smaller.roots.retain(|other| *other != root);
            is_smaller |= self.keep(smaller);
        }
        for path in self.tree.files.keys().cloned().collect::<Vec<_>>() {
            let mut smaller = self.tree.clone();
            smaller.files.remove(&path);
            is_smaller |= self.keep(smaller);
        }
        for path in self.tree.files.keys().cloned().collect::<Vec<_>>() {
            is_smaller |= self.shrink_file(&path);
        }
        is_smaller
    }

    fn shrink_file(&mut self, path: &str) -> bool {
        let Some(File::Documents(documents, _)) = self.tree.files.get(path) else { return false };
        let mut places: Vec<(usize, Place)> = Vec::new();
        for (number, document) in documents.iter().enumerate() {
            let mut found = vec![(number, Vec::new())];
            if document.get("spec").is_none() && document.get("data").is_none() {
                walk(document, &mut Vec::new(), &mut |place| found.push((number, place.to_vec())));
            }
            places.extend(found);
        }
        // The outermost first, and of those the last, so that the places of the others stay.
        places.reverse();
        places.sort_by_key(|(_, place)| place.len());
        let mut is_smaller = false;
        let mut gone: Vec<(usize, Place)> = Vec::new();
        for (number, place) in places {
            let is_gone = |(other, above): &(usize, Place)| {
                *other == number && above.len() <= place.len() && above.iter().zip(&place).all(|(a, b)| a.is(b))
            };
            if gone.iter().any(is_gone) {
                continue;
            }
            let mut smaller = self.tree.clone();
            let Some(File::Documents(documents, _)) = smaller.files.get_mut(path) else { return is_smaller };
            if place.is_empty() {
                // Others keep their number.
                documents[number] = Value::Null;
            } else if !remove(&mut documents[number], &place) {
                continue;
            }
            if self.keep(smaller) {
                is_smaller = true;
                gone.push((number, place));
            }
        }
        if let Some(File::Documents(documents, _)) = self.tree.files.get_mut(path) {
            documents.retain(|document| !document.is_null());
        }
        is_smaller
    }
}

impl Step {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Key(one), Self::Key(two)) => one == two,
            (Self::Index(one), Self::Index(two)) => one == two,
            _ => false,
        }
    }
}

/// Visits the values that can be removed alone: whole fields and items of a kustomization, and whole operations.
///
/// Objects stay whole, so that they stay valid.
fn walk(value: &Value, place: &mut Place, visit: &mut impl FnMut(&[Step])) {
    let children: Vec<(Step, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (Step::Key(key.clone()), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, item)| (Step::Index(at), item)).collect(),
        _ => return,
    };
    for (step, child) in children {
        let (is_fixed, is_inner) = match &step {
            Step::Key(key) => (["$text", "$style", "apiVersion", "kind", "op"].contains(&key.as_str()), key == "$text"),
            Step::Index(_) => (false, false),
        };
        let is_whole = child.get("op").is_some() || is_inner && child.get("metadata").is_some();
        place.push(step);
        if !is_fixed {
            visit(place);
        }
        if !is_whole {
            walk(child, place, visit);
        }
        place.pop();
    }
}

fn remove(value: &mut Value, place: &[Step]) -> bool {
    match (value, place) {
        (Value::Object(map), [Step::Key(key)]) => map.shift_remove(key).is_some(),
        (Value::Array(items), [Step::Index(at)]) if *at < items.len() => {
            items.remove(*at);
            true
        }
        (Value::Object(map), [Step::Key(key), rest @ ..]) => map.get_mut(key).is_some_and(|child| remove(child, rest)),
        (Value::Array(items), [Step::Index(at), rest @ ..]) => {
            items.get_mut(*at).is_some_and(|child| remove(child, rest))
        }
        _ => false,
    }
}
