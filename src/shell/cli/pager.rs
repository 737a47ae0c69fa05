//! The pager: which program shows a long report, and how it is run.
//!
//! As in git: `GIT_PAGER`, then `PAGER`, then `less`, run by the shell; an empty one or `cat` means none.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// The pager where no variable names one.
const DEFAULT: &str = "less";

/// How pagers are set where the user did not set them: colours are shown, and the text stays on the screen.
const SETTINGS: [(&str, &str); 2] = [("LESS", "FRX"), ("LV", "-c")];

/// What a shell ends with when it cannot run a program.
const CANNOT_RUN: [i32; 2] = [126, 127];

/// What a pager is doing, which decides what Ctrl-C means.
enum Pager {
    None,
    Open,
    Closed(Instant),
}

static PAGER: Mutex<Pager> = Mutex::new(Pager::None);

/// How late the program can hear of an interrupt that closed the pager: both get it, and this one handles it in a thread of its own.
const LATE: Duration = Duration::from_secs(1);

/// What the program ends with at Ctrl-C, as a shell reports it.
const INTERRUPTED: i32 = 130;

/// Returns the command of the pager, where there is one.
pub(super) fn command() -> Option<String> {
    let named = ["GIT_PAGER", "PAGER"].iter().find_map(|name| std::env::var(name).ok());
    let command = named.or_else(|| cfg!(unix).then(|| DEFAULT.to_owned()))?;
    (!matches!(command.trim(), "" | "cat")).then_some(command)
}

/// Shows `text` with `command` until the user closes it, whether that has read all of it or not.
///
/// # Errors
/// Why the pager cannot be run; then it has shown nothing.
pub(super) fn show(command: &str, text: &str) -> Result<(), String> {
    let mut pager = Command::new("sh");
    pager.args(["-c", command]).stdin(Stdio::piped());
    for (name, value) in SETTINGS.iter().filter(|(name, _)| std::env::var_os(name).is_none()) {
        pager.env(name, value);
    }
    leave_interrupts_to_the_pager();
    is_now(Pager::Open);
    let ended = pager.spawn().and_then(|mut running| {
        if let Some(mut input) = running.stdin.take() {
            // A pager that is closed early reads no more.
            let _unread = input.write_all(text.as_bytes());
        }
        running.wait()
    });
    is_now(Pager::Closed(Instant::now()));
    match ended {
        Ok(status) if status.code().is_some_and(|code| CANNOT_RUN.contains(&code)) => {
            Err(format!("`{command}` cannot be run"))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

fn is_now(state: Pager) {
    *PAGER.lock().unwrap_or_else(PoisonError::into_inner) = state;
}

/// Lets Ctrl-C end the program only where no pager is open: the program stays until the pager has given the terminal back.
fn leave_interrupts_to_the_pager() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let set = ctrlc::set_handler(|| {
            let is_for_pager = match *PAGER.lock().unwrap_or_else(PoisonError::into_inner) {
                Pager::None => false,
                Pager::Open => true,
                Pager::Closed(at) => at.elapsed() < LATE,
            };
            if !is_for_pager {
                std::process::exit(INTERRUPTED);
            }
        });
        // Without it Ctrl-C ends the program in front of the pager, which is still no failure.
        let _without = set;
    });
}
