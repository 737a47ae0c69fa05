//! Which edits of a file belong to which of its objects?
//!
//! An edit belongs to the object in whose part of the file it is: the smallest one around it, and of several objects in one part the
//! last one that starts before it. An edit outside of them all, such as that of a comment, belongs to the next object.
//!
//! Invariant: every edit of a file with an object that changes belongs to exactly one of them.

use std::collections::BTreeMap;

use crate::engine::edits::FilePlan;
use crate::engine::plan::{ObjectPlan, Outcome};
use crate::syntax::text::{Edit, EditSet, LineIndex, Position, Span};

/// One object that changes.
#[derive(Debug)]
pub struct ObjectChange<'a> {
    /// The object.
    pub object: &'a ObjectPlan,
    /// Its file, with its edits alone.
    pub file: FilePlan,
}

/// Splits the edits of `files` by the objects that change, in the order of files and text.
pub fn by_object<'a>(files: &[FilePlan], objects: &'a [ObjectPlan]) -> Vec<ObjectChange<'a>> {
    let mut of_file: BTreeMap<&str, Vec<&ObjectPlan>> = BTreeMap::new();
    for object in objects.iter().filter(|object| object.outcome == Outcome::Changed) {
        of_file.entry(&object.location.file).or_default().push(object);
    }
    let split = |file: &FilePlan| {
        let objects = of_file.remove(&*file.file).unwrap_or_default();
        let lines = LineIndex::new(&file.before);
        let places: Vec<Place<Option<Position>>> =
            objects.iter().map(|object| (object.location.position, object.extent)).collect();
        let mut edits: Vec<Vec<Edit>> = vec![Vec::new(); objects.len()];
        for edit in file.edits.edits() {
            let position = |offset| Some(lines.position(&file.before, offset));
            if let Some(at) = owner(&places, edit.span, &position) {
                edits[at].push(edit.clone());
            }
        }
        let change = |(object, edits)| {
            let edits = EditSet::new(edits).expect("they are edits of one set");
            let file = FilePlan { file: file.file.clone(), before: file.before.clone(), edits };
            ObjectChange { object, file }
        };
        objects.into_iter().zip(edits).map(change).collect::<Vec<_>>()
    };
    files.iter().flat_map(split).collect()
}

/// Where an object starts, and the part of the file that it is in.
type Place<P> = (P, Span);

/// Finds the object that an edit belongs to; `position` turns an offset into what objects start at.
fn owner<P: Ord>(places: &[Place<P>], edit: Span, position: &dyn Fn(usize) -> P) -> Option<usize> {
    let around = |part: &Span| part.start <= edit.start && edit.end <= part.end;
    let smallest =
        places.iter().map(|(_, part)| part).filter(|part| around(part)).map(|part| part.end - part.start).min();
    let Some(smallest) = smallest else {
        let end = position(edit.end);
        let next = places.iter().position(|(start, _)| *start >= end);
        return next.or(places.len().checked_sub(1));
    };
    let inside = |at: &usize| around(&places[*at].1) && places[*at].1.end - places[*at].1.start == smallest;
    let mut candidates = (0..places.len()).filter(inside);
    let (first, start) = (candidates.next(), position(edit.start));
    candidates.take_while(|at| places[*at].0 <= start).last().or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_belongs_to_the_smallest_part_around_it() {
        // A document, two items in it, and a second document whose text starts behind a comment.
        let places =
            [(0, Span::new(0, 100)), (20, Span::new(20, 40)), (50, Span::new(50, 70)), (120, Span::new(104, 200))];
        let owner = |start, end| owner(&places, Span::new(start, end), &|offset| offset);
        assert_eq!(owner(5, 8), Some(0));
        assert_eq!(owner(20, 22), Some(1));
        assert_eq!(owner(69, 70), Some(2));
        assert_eq!(owner(105, 110), Some(3));
        // Between two documents, and behind the last one.
        assert_eq!(owner(101, 103), Some(3));
        assert_eq!(owner(201, 202), Some(3));
    }

    #[test]
    fn objects_in_one_part_share_it_by_where_they_start() {
        let part = Span::new(10, 90);
        let places = [(12, part), (50, part)];
        let in_part = |start, end| owner(&places, Span::new(start, end), &|offset| offset);
        assert_eq!([in_part(11, 12), in_part(30, 60), in_part(50, 60)], [Some(0), Some(0), Some(1)]);
        assert_eq!(owner(&[], Span::new(0, 1), &|offset| offset), None);
    }
}
