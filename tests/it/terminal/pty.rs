//! A run of the program on a pseudo-terminal.

use std::process::Command;
use std::sync::Once;
use std::time::Duration;

use expectrl::process::unix::WaitStatus;
use expectrl::session::OsSession;
use expectrl::{Eof, Expect, Session};

use crate::support::trees::{PROGRAM, Tree};

/// The question of `apply --interactive`, behind its number.
pub(crate) const KEYS: &str = "change this object [y,n,a,d,u,s,q,e,?]? ";

/// What the shell prints before it runs the command.
const READY: &str = "@ready@";

/// How long a test waits for a text.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal in which a command runs.
pub(crate) struct Terminal {
    session: OsSession,
}

impl Terminal {
    /// Runs a shell command, in which `reversion` is the program, on a terminal of 24 rows and 80 columns.
    pub(crate) fn run(tree: &Tree, command: &str) -> Self {
        Self::with(tree, (24, 80), &[], command)
    }

    /// Runs a shell command on a terminal of so many rows and columns, with these variables besides the usual ones.
    pub(crate) fn with(tree: &Tree, (rows, columns): (u16, u16), variables: &[(&str, &str)], command: &str) -> Self {
        let mut shell = Command::new("sh");
        let program = std::path::Path::new(PROGRAM).parent().unwrap().display().to_string();
        let path = format!("{program}:{}", std::env::var("PATH").unwrap());
        shell
            .args(["-c", &format!("read -r _; stty rows {rows} cols {columns} -echo; printf {READY}; {command}")])
            .current_dir(tree.path(""));
        shell.env_clear().env("PATH", path).env("TERM", "xterm").env("HOME", tree.path("")).env("PAGER", "cat");
        shell.envs(variables.iter().copied());
        hear_interrupts();
        let mut session = Session::spawn(shell).unwrap();
        session.set_expect_timeout(Some(PATIENCE));
        // The terminal gets a size of its own when it is made, so the one of the test is set after that.
        session.send("\n").unwrap();
        session.expect(READY).unwrap();
        Self { session }
    }

    /// Waits for `text` and returns what stands before it.
    #[track_caller]
    pub(crate) fn until(&mut self, text: &str) -> String {
        let found = self.session.expect(text).unwrap_or_else(|error| panic!("no {text:?}: {error}"));
        String::from_utf8(found.before().to_vec()).unwrap().replace("\r\n", "\n")
    }

    /// Waits for the question `text`, answers it, and returns what stands before it.
    #[track_caller]
    pub(crate) fn answer(&mut self, text: &str, line: &str) -> String {
        let before = self.until(text);
        self.send(line);
        before
    }

    /// Types a line.
    pub(crate) fn send(&mut self, line: &str) {
        self.session.send(format!("{line}\n")).unwrap();
    }

    /// Answers the question about the change of this number.
    #[track_caller]
    pub(crate) fn choose(&mut self, number: &str, line: &str) -> String {
        self.answer(&format!("({number}) {KEYS}"), line)
    }

    /// Presses a key with Ctrl after the question `text`.
    #[track_caller]
    pub(crate) fn control(&mut self, text: &str, key: char) {
        self.until(text);
        let code = [u8::try_from(key).unwrap() & 0x1f];
        std::io::Write::write_all(&mut self.session, &code).unwrap();
    }

    /// Waits for the end of the command and returns the rest of what it printed, and its exit code; none after a signal.
    #[track_caller]
    pub(crate) fn end(mut self) -> (String, Option<i32>) {
        let found = self.session.expect(Eof).unwrap();
        let rest = String::from_utf8(found.as_bytes().to_vec()).unwrap().replace("\r\n", "\n");
        match self.session.get_process().wait().unwrap() {
            WaitStatus::Exited(_, code) => (rest, Some(code)),
            _ => (rest, None),
        }
    }
}

/// Makes Ctrl-C end the programs that the tests start, as on any terminal. A shell without job control starts tests in the background
/// with the interrupt ignored, which programs that they start inherit; a signal that is handled is as usual in them.
fn hear_interrupts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| ctrlc::set_handler(|| std::process::exit(130)).unwrap());
}

/// Removes the line that shows how far a run is, which a slow machine draws and clears before anything else is printed.
pub(crate) fn without_progress(shown: &str) -> String {
    let mut parts: Vec<&str> = shown.split("\u{1b}[2K").collect();
    let last = parts.pop().unwrap_or_default();
    let kept = parts.iter().map(|part| part.rfind('\n').map_or("", |end| &part[..=end]));
    kept.chain([last]).collect()
}

/// Returns a text without its colours and links.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split('\u{1b}').enumerate() {
        let end = match part.chars().next() {
            _ if at == 0 => 0,
            Some('[') => part.find('m').map_or(part.len(), |end| end + 1),
            Some(']') => part.len(),
            _ => 1,
        };
        out.push_str(part.get(end..).unwrap_or_default());
    }
    out
}
