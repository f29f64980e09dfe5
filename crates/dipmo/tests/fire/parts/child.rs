//! Instances in processes of their own, which can be killed.
//!
//! A test runs itself again as a child. A child ends when its input does, so that none outlives
//! its test, however that ends; one that stands still is in a process group of its own, which the
//! system ends when the parent of it goes.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::folder::Folder;
use super::place::Place;
use super::stop::NOTES;
use super::worker::{JOURNAL, URL};

/// No child takes so long for anything unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Child {
    process: std::process::Child,
    lines: UnboundedReceiver<String>,
    heard: Vec<String>,
}

/// Where the journal of a test is.
pub(crate) fn journal(folder: &Folder) -> std::path::PathBuf {
    folder.file("journal")
}

impl Child {
    /// Runs a test as a child that writes its deliveries to a journal.
    pub(crate) fn start(test: &str, place: &Place, folder: &Folder) -> Self {
        let (journal, notes) = (journal(folder), folder.path());
        Self::start_with(test, place, [(JOURNAL, journal.as_os_str()), (NOTES, notes.as_os_str())])
    }

    /// Runs a test as a child that is told these variables.
    pub(crate) fn start_with<'a>(
        test: &str,
        place: &Place,
        variables: impl IntoIterator<Item = (&'static str, &'a OsStr)>,
    ) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test])
            .env(URL, place.url())
            .envs(variables)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (tell, lines) = unbounded_channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| tell.send(line))
        });
        Self { process, lines, heard: Vec::new() }
    }

    /// Waits for a line that begins so, and answers the rest of it.
    pub(crate) async fn says(&mut self, beginning: &str) -> String {
        let heard = async {
            while let Some(line) = self.lines.recv().await {
                self.heard.push(line.clone());
                if let Some(rest) = line.strip_prefix(beginning) {
                    return Some(rest.trim().to_owned());
                }
            }
            None
        };
        match tokio::time::timeout(PATIENCE, heard).await {
            Ok(Some(rest)) => rest,
            _ => panic!("a child never said {beginning:?}:\n{}", self.heard.join("\n")),
        }
    }

    /// Asks for the figures of its engine.
    pub(crate) async fn figures(&mut self) -> serde_json::Value {
        self.ask("figures");
        serde_json::from_str(&self.says("figures ").await).unwrap()
    }

    /// Stops it as an operator would, and waits until it has ended.
    pub(crate) async fn stop(mut self) {
        self.ask("stop");
        self.says("ended").await;
    }

    /// Stops it where it stands, until it may go on.
    pub(crate) fn stand_still(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on after it has stopped, or stopped itself.
    pub(crate) fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    /// Ends it at once, wherever it stands.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::KILL);
        self.process.wait().unwrap();
    }

    fn ask(&self, what: &str) {
        writeln!(self.process.stdin.as_ref().unwrap(), "{what}").unwrap();
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.process.id()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Both fail when it has ended already.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// A line to the parent, past the harness, which keeps what tests print.
pub(crate) fn tell(line: &str) {
    let mut out = std::io::stdout();
    out.write_all(format!("{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}
