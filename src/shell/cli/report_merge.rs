//! The subcommand `report merge`: reports that were saved as JSON become one, in any format.

use anyhow::{Result, anyhow, ensure};

use super::args::{Format, MergeArgs};
use super::console::{Console, Destination};
use super::exit::Exit;
use super::formats::ran_in;
use super::output::{Level, print};
use crate::shell::disk;
use crate::shell::report::merge_reports::{MAX_REPORT, merge, parse};
use crate::shell::report::{plain, statistics, visible};

/// Runs `report merge`; it ends as the worst of the runs that made the reports.
pub(super) fn run(args: &MergeArgs, console: Console) -> Result<Exit> {
    let read = |file: &std::path::PathBuf| {
        let name = visible(&file.to_string_lossy());
        let bytes = disk::read_input(file, MAX_REPORT).map_err(|failure| anyhow!("{name}: {failure}"))?;
        let document = parse(&bytes).map_err(|message| anyhow!("{name}: {}", visible(&message)))?;
        Ok((name, document))
    };
    let parts = args.reports.iter().map(read).collect::<Result<Vec<_>>>()?;
    let mut merged = merge(parts).map_err(|message| anyhow!("{}", visible(&message)))?;
    merged.top = ran_in().top;
    let (summary, exit) = (plain::summary(&merged), Exit::of_code(merged.exit_code));
    let left_out = merged.left_out.len();
    ensure!(!args.statistics || args.output.format == Format::Text, "`--statistics` is a text report; remove --format");
    match args.statistics {
        true => {
            let document = Level::of(&args.output).of_document(merged);
            console.text(Destination::Report, &args.output, |painter| statistics::of_document(&document, painter))?;
        }
        false => print(merged, &args.output, console)?,
    }
    console.note(&format!("{summary}\n"))?;
    Ok(exit.with(&args.output, left_out))
}
