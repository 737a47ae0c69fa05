//! Answers: what do the lines of a tab-separated table hold, by the name of the column?
//!
//! The first line names the columns; what follows a name in parentheses explains it. Releases are named by their numbers and
//! in ranges, as `1.14..1.21,1.25`: a bundle is in a range by the numbers of its name that the ends of the range have too.
//!
//! Invariant: an absent column is empty in every line, and a line without a required one is an error.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

/// A table that was read.
#[derive(Debug)]
pub(super) struct Table {
    name: String,
    columns: BTreeMap<String, usize>,
    lines: Vec<Vec<String>>,
}

/// One line of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    table: &'t Table,
    number: usize,
}

impl Table {
    /// Reads the file `path`, where there is one; it must have the columns `required`.
    pub(super) fn read(path: &Path, required: &[&str]) -> Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&path.display().to_string(), &text, required).map(Some)
    }

    fn parse(name: &str, text: &str, required: &[&str]) -> Result<Self> {
        let split = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
        let mut lines = text.lines().map(split);
        let head = lines.next().with_context(|| format!("{name} is empty; its first line names the columns"))?;
        let plain = |column: &str| column.split('(').next().unwrap_or_default().trim().to_owned();
        let columns: BTreeMap<String, usize> = head.iter().map(|column| plain(column)).zip(0..).collect();
        for column in required {
            ensure!(
                columns.contains_key(*column),
                "{name}:1: there is no column `{column}`; name it in the first line"
            );
        }
        Ok(Self { name: name.to_owned(), columns, lines: lines.collect() })
    }

    /// Returns the lines below the first.
    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        (0..self.lines.len()).map(|number| Line { table: self, number })
    }
}

impl<'t> Line<'t> {
    /// Returns the text in a column; empty where the table or the line has none.
    pub(super) fn get(self, column: &str) -> &'t str {
        let at = self.table.columns.get(column).copied();
        at.and_then(|at| self.table.lines[self.number].get(at)).map_or("", String::as_str)
    }

    /// Returns whether the table has a column.
    pub(super) fn has(self, column: &str) -> bool {
        self.table.columns.contains_key(column)
    }

    /// Returns the place of the line, for messages.
    pub(super) fn place(self) -> String {
        format!("{}:{}", self.table.name, self.number + 2)
    }

    /// Reads the ranges in a column; none for an empty one or `-`.
    pub(super) fn ranges(self, column: &str) -> Result<Ranges> {
        Ranges::parse(self.get(column)).with_context(|| format!("{}: `{column}`", self.place()))
    }
}

/// Ranges of releases, by the numbers of their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges(Vec<(Vec<u64>, Vec<u64>)>);

impl Ranges {
    /// Reads `1.14..1.21,1.25`; an end that is left out is open.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let parts = text.split([',', ' ']).filter(|part| !part.is_empty() && *part != "-");
        let range = |part: &str| {
            let (first, last) = part.split_once("..").unwrap_or((part, part));
            let end = |text: &str| if text.is_empty() { Ok(Vec::new()) } else { numbers(text) };
            Ok((end(first)?, end(last)?))
        };
        Ok(Self(parts.map(range).collect::<Result<_>>()?))
    }

    /// Returns whether a bundle with these numbers is in one of the ranges.
    pub(super) fn contain(&self, bundle: &[u64]) -> bool {
        let cut = |end: &[u64]| bundle[..bundle.len().min(end.len())].to_vec();
        self.0.iter().any(|(first, last)| cut(first) >= *first && (last.is_empty() || cut(last) <= *last))
    }
}

/// Reads the numbers of a release's name: `v1.14.3`, `1.14`.
pub(super) fn numbers(name: &str) -> Result<Vec<u64>> {
    let parts = name.strip_prefix('v').unwrap_or(name).split('.');
    let read = parts.map(str::parse).collect::<Result<_, _>>();
    read.with_context(|| format!("`{name}` is not a release: write numbers, such as 1.30"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_compared_by_the_numbers_that_they_have() {
        let ranges = Ranges::parse("1.9..1.14,1.20 1.30..").unwrap();
        let contain = |name: &str| ranges.contain(&numbers(name).unwrap());
        for name in ["v1.9.0", "1.10", "1.14.9", "v1.20", "v1.20.3", "1.30", "1.41", "2.0"] {
            assert!(contain(name), "{name}");
        }
        for name in ["1.8.9", "1.15", "v1.19.12", "1.21.0", "1.29"] {
            assert!(!contain(name), "{name}");
        }
        assert_eq!(Ranges::parse("-").unwrap(), Ranges::default());
        assert!(Ranges::parse("main").is_err());
    }

    #[test]
    fn columns_are_found_by_their_names() {
        let table = Table::parse("t", "kind\tserved(1.14+)\nPod\t1.14\nNode\n", &["kind"]).unwrap();
        let lines: Vec<_> = table.lines().collect();
        assert_eq!((lines[0].get("served"), lines[1].get("served"), lines[0].get("scope")), ("1.14", "", ""));
        assert_eq!((lines[1].place().as_str(), lines[1].has("scope")), ("t:3", false));
        assert!(Table::parse("t", "kind\n", &["group"]).unwrap_err().to_string().contains("no column `group`"));
    }
}
