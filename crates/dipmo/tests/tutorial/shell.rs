//! A bash that is typed to, and what it prints.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// No command of the page takes so long unless it waits for what never comes.
const PATIENCE: Duration = Duration::from_secs(45);
/// Printed behind each command.
const DONE: &str = "~ that was all ~";

/// A shell, with everything that was started from it.
pub(crate) struct Shell {
    bash: Child,
    lines: Receiver<String>,
}

impl Shell {
    /// Begins in this folder, with these variables.
    pub(crate) fn start<'a>(
        folder: &Path,
        variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc"]).current_dir(folder).envs(variables);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut bash = command.spawn().unwrap();
        let output = BufReader::new(bash.stdout.take().unwrap());
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| tell.send(line))
        });
        let mut shell = Self { bash, lines };
        // Its input ends with this process, however that ends, and everything that it started with it.
        shell.types("exec 2>&1; trap 'kill 0' EXIT").unwrap();
        shell
    }

    /// Types a command and waits until it is done; says what was printed on both ways out. That it waits for ever, or that
    /// bash has ended, is an error.
    pub(crate) fn types(&mut self, command: &str) -> Result<String, String> {
        let typed = format!("{command}\necho '{DONE}'\n");
        self.bash.stdin.as_mut().unwrap().write_all(typed.as_bytes()).unwrap();
        let mut said = String::new();
        loop {
            let Ok(line) = self.lines.recv_timeout(PATIENCE) else {
                return Err(format!("it waits for ever, or bash has ended: {command}\n{said}"));
            };
            match line.strip_suffix(DONE) {
                Some("") => return Ok(said),
                // What was printed last had no end of line; a terminal begins a new one all the same.
                Some(last) => return Ok(said + last + "\n"),
                None => said.push_str(&format!("{line}\n")),
            }
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let group = Pid::from_raw(i32::try_from(self.bash.id()).unwrap()).unwrap();
        // It fails when all of them have ended already.
        let _ = kill_process_group(group, Signal::KILL);
        drop(self.bash.wait());
    }
}
