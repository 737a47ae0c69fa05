//! The line that shows how far a long run is.
//!
//! A thread of its own waits until the run has taken half a second, then draws a count that others add to, until the part of
//! the run is over. So a short run draws nothing, and counting costs what adding to a number costs.
//!
//! Invariant: the line is gone before anything else is printed.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::shell::report::plural;

/// How long a run may take before it shows how far it is.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often the line is drawn again.
const INTERVAL: Duration = Duration::from_millis(100);

/// One part of a run. It is over when this is dropped.
pub(super) struct Progress {
    done: Arc<AtomicUsize>,
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts a part that nothing is shown of.
    pub(super) fn hidden() -> Self {
        Self { done: Arc::default(), drawing: None }
    }

    /// Starts a part of a run that began at `start`. Behind the number of files that are done, the line says `what`.
    pub(super) fn shown(start: Instant, what: &'static str) -> Self {
        let done: Arc<AtomicUsize> = Arc::default();
        let (over, is_over) = channel();
        let count = Arc::clone(&done);
        let draw = move || {
            let wait = |time| is_over.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            if !wait(PATIENCE.saturating_sub(start.elapsed())) {
                return;
            }
            let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let text = move |_: &ProgressState, out: &mut dyn fmt::Write| {
                let _infallible = match count.load(Ordering::Relaxed) {
                    0 => write!(out, "{what}"),
                    files => write!(out, "{} {what}", plural(files, "file")),
                };
            };
            let style = ProgressStyle::with_template("{spinner} {text}").expect("the template is well-formed");
            line.set_style(style.with_key("text", text));
            line.tick();
            while wait(INTERVAL) {
                line.tick();
            }
            line.finish_and_clear();
        };
        // Without a thread there is no line, and the run goes on.
        let thread = thread::Builder::new().spawn(draw).ok();
        Self { done, drawing: thread.map(|thread| (over, thread)) }
    }

    /// Counts files that are done.
    pub(super) fn add(&self, files: usize) {
        self.done.fetch_add(files, Ordering::Relaxed);
    }

    /// Returns how many files are done.
    pub(super) fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((over, thread)) = self.drawing.take() {
            drop(over);
            // A thread that failed has drawn nothing that could be cleared.
            let _failed = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_part_ends_at_once() {
        let start = Instant::now();
        let progress = Progress::shown(start, "read");
        progress.add(2);
        assert_eq!(progress.done(), 2);
        drop(progress);
        assert!(start.elapsed() < PATIENCE);
    }
}
