//! Answers: does any of some texts stand in these bytes?
//!
//! Most files hold none, so what counts is how fast bytes are passed: a search that compares 16 or 32 of them at once takes up to 64
//! texts, so that for more there are several. Where the processor has none, an automaton takes all texts.
//!
//! Invariant: what is found does not depend on which search there is.

use std::ops::Range;

use aho_corasick::packed::{Config, MatchKind as PackedKind, Searcher};
use aho_corasick::{AhoCorasick, MatchKind};

/// How many texts a packed search takes; with half of what is possible, fewer of them begin alike.
const TEXTS: usize = 64;

/// A search for any of some texts.
#[derive(Debug)]
pub(crate) struct TextSearch(Kind);

#[derive(Debug)]
enum Kind {
    Packed(Vec<Searcher>),
    Automaton(Box<AhoCorasick>),
}

impl TextSearch {
    /// Makes the search for any of `texts`, which are few and short.
    pub(crate) fn new<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Self {
        let mut texts: Vec<T> = texts.into_iter().filter(|text| !text.as_ref().is_empty()).collect();
        // Those that begin alike are compared with the same places.
        texts.sort_unstable_by(|one, other| one.as_ref().cmp(other.as_ref()));
        let packed = texts.chunks(TEXTS).map(|texts| {
            let mut builder = Config::new().match_kind(PackedKind::LeftmostLongest).builder();
            builder.extend(texts).build()
        });
        packed.collect::<Option<Vec<Searcher>>>().map_or_else(|| Self::automaton(&texts), |all| Self(Kind::Packed(all)))
    }

    fn automaton<T: AsRef<[u8]>>(texts: &[T]) -> Self {
        let search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(texts);
        Self(Kind::Automaton(Box::new(search.expect("the texts are few and short"))))
    }

    /// Returns whether one of the texts is in `bytes`.
    pub(crate) fn is_in(&self, bytes: &[u8]) -> bool {
        match &self.0 {
            Kind::Packed(all) => all.iter().any(|search| search.find(bytes).is_some()),
            Kind::Automaton(search) => search.is_match(bytes),
        }
    }

    /// Returns whether one of the texts is at a place in `bytes` for which `holds` does.
    pub(crate) fn any(&self, bytes: &[u8], mut holds: impl FnMut(Range<usize>) -> bool) -> bool {
        match &self.0 {
            Kind::Packed(all) => {
                all.iter().any(|search| search.find_iter(bytes).any(|found| holds(found.start()..found.end())))
            }
            Kind::Automaton(search) => search.find_iter(bytes).any(|found| holds(found.range())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred texts, so that more than one packed search is needed.
    fn texts() -> Vec<String> {
        (0..100).map(|number| format!("{}group{number}.example", ["", "apps/", "\"op\""][number % 3])).collect()
    }

    #[track_caller]
    fn check(bytes: &[u8]) {
        let expected = texts().iter().any(|text| bytes.windows(text.len()).any(|part| part == text.as_bytes()));
        for search in [TextSearch::new(texts()), TextSearch::automaton(&texts())] {
            assert_eq!(search.is_in(bytes), expected, "{}", bytes.escape_ascii());
            assert_eq!(search.any(bytes, |_| true), expected, "{}", bytes.escape_ascii());
            assert!(!search.any(bytes, |_| false));
        }
    }

    #[test]
    fn each_text_is_found_wherever_it_stands() {
        for text in texts() {
            for before in [0, 1, 15, 16, 31, 64] {
                check(&[&vec![b'g'; before], text.as_bytes()].concat());
                check(&[&vec![b'g'; before], text.as_bytes(), b"\n"].concat());
                check(&[&vec![b'g'; before], &text.as_bytes()[1..]].concat());
                check(&[&vec![b'g'; before], &text.as_bytes()[..text.len() - 1]].concat());
            }
        }
        check(b"");
    }

    #[test]
    fn the_place_of_a_text_is_passed_on() {
        let bytes = b"a group1.example apps/group1.example";
        for search in [TextSearch::new(texts()), TextSearch::automaton(&texts())] {
            let mut places = Vec::new();
            search.any(bytes, |place| {
                places.push(place);
                false
            });
            assert_eq!(places.len(), 1);
            assert_eq!(places[0], 17..36, "only group1 with apps/ is one of the texts");
        }
    }

    #[test]
    fn of_two_texts_at_one_place_the_longer_one_is_found() {
        let texts = ["example.com", "example.com.au"];
        for search in [TextSearch::new(texts), TextSearch::automaton(&texts)] {
            assert!(search.any(b"example.com.au/v1", |place| place == (0..14)));
        }
    }

    #[test]
    fn no_text_is_nowhere() {
        assert!(!TextSearch::new([""; 0]).is_in(b"anything"));
        assert!(!TextSearch::new([""]).is_in(b"anything"), "an empty text says nothing");
    }
}
