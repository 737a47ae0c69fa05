//! Answers: which texts can a Helm template print, and which bytes of its file change with one of them?
//!
//! A template is a program that prints text. For one choice in each of its blocks, a [`Reading`] is what Helm prints, with the place in
//! the file of each of its bytes. What an action prints that is not known stands in it as a placeholder `${REVERSION_ACTION_n}`, or as a hole.
//! Edits of readings are carried back to the file where all readings agree.
//!
//! - `functions` is what Helm's functions make of values, `written_yaml` what those of YAML print and read.
//! - `lex` finds the actions, `expression` reads what is in them, `tree` makes blocks of them and finds definitions.
//! - `environment` is what is known of cluster and chart; `scope` says what names stand for, `changes` which of that is changed, `outputs` what an expression prints, `value_type`
//!   whether that is a number, `default_value` what it is where users set nothing, `arguments` what definitions are called with then, `judge` whether a condition holds, `memo` what of that (`possible_texts`, `description`) other readings found, `constraint` whether a version satisfies one.
//! - `uses` is what is done with each of the values, `whole` whether a range prints each item as it is, `yaml_reads` which definitions are read instead of printed.
//! - `reading` is what is printed, `print` prints it, `column` at which column, `flow` keeps actions in flow collections apart from these, `comments` prints comments, `search` finds the readings that show every branch, and pairs of
//!   branches, `pairs` which of them the readings have, `blocks` where the blocks are.
//! - `source` carries edits of a reading back to the file, `hole` finds where what may stand in holes belongs and keeps it there, `filled` whether that is YAML
//!   with them, `agree` joins the edits of all readings.
//! - `tests` compares all of that with what Helm prints.
//!
//! Invariant: nothing here knows Kubernetes objects, or more of YAML than its data and columns; every text is taken, and the cost is bounded by its length and the limit of
//! readings.

mod agree;
mod arguments;
mod blocks;
mod changes;
mod column;
mod comments;
mod constraint;
mod default_value;
mod description;
mod environment;
mod expression;
mod filled;
mod flow;
mod functions;
mod hole;
mod judge;
mod lex;
mod memo;
mod outputs;
mod pairs;
mod possible_texts;
mod print;
mod reading;
mod scope;
mod search;
mod source;
mod tree;
mod uses;
mod value_type;
mod whole;
mod written_yaml;
mod yaml_reads;

#[cfg(test)]
mod tests;

pub use agree::{Disagreement, Edited, agree, verify};
pub use arguments::Arguments;
pub use blocks::Blocks;
pub use changes::{Changes, Values, files_read};
pub use constraint::satisfies;
pub use environment::{Environment, Facts, KubeVersion};
pub use hole::{field_at, goes_on, is_document, places};
pub use lex::Action;
pub use reading::{Hole, Placeholders, Reading, Segment, Source};
pub use search::{Coverage, Reason, Search, Unprinted, reading_keeping, reading_with, readings};
pub use source::Obstacle;
pub use tree::{Defines, Part, Template};
pub use uses::Uses;
pub use whole::is_constant;
pub use yaml_reads::YamlReads;
