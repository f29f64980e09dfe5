//! Whether a broker runs, and how to end it: by the process id that is in its own folder.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::process::TICK;
use crate::services::command_line::command_line;

/// The class that a broker's process runs.
pub(crate) const CLASS: &str = "kafka.Kafka";

/// How long the system may take to end a process that was killed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether process `pid` is the broker of `properties`, and not a stranger with the same number.
pub(crate) fn is_running(pid: i32, properties: &Path) -> bool {
    command_line(pid).is_some_and(|line| {
        line.contains(CLASS) && line.contains(properties.to_string_lossy().as_ref())
    })
}

/// Ends a broker at once. A stranger's process is left alone.
///
/// Its data goes with it, so there is nothing to close in order; and the last nodes of a cluster
/// would wait in vain for a majority if they were asked politely.
pub(crate) fn stop(pid: i32, properties: &Path) -> Result<()> {
    let Some(process) = Pid::from_raw(pid) else { return Ok(()) };
    if !is_running(pid, properties) {
        return Ok(());
    }
    // An error means that it ended just now; the wait below sees that.
    let _ = kill_process(process, Signal::KILL);
    let deadline = Instant::now() + PATIENCE;
    while is_running(pid, properties) {
        if Instant::now() > deadline {
            bail!("the broker with pid {pid} of {} does not end", properties.display());
        }
        std::thread::sleep(TICK);
    }
    // If this very run started it, it is a child to be waited for; if not, this is an error.
    let _ = waitpid(Some(process), WaitOptions::NOHANG);
    Ok(())
}

/// Ends brokers whose starter was killed before it could write the state file.
pub(crate) fn stop_leftovers(folder: &Path) -> Result<()> {
    let Ok(nodes) = fs::read_dir(folder) else { return Ok(()) };
    for node in nodes.flatten() {
        let written = fs::read_to_string(node.path().join("pid")).unwrap_or_default();
        if let Ok(pid) = written.trim().parse() {
            stop(pid, &node.path().join("server.properties"))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_leftover_is_ended_and_a_stranger_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let node = folder.path().join("node-1");
        fs::create_dir(&node).unwrap();
        let properties = node.join("server.properties");
        // It only looks like a broker: the arguments after its own are what is compared.
        let mut ours = Command::new("tail")
            .args(["-f", "/dev/null", "--pid", &std::process::id().to_string()])
            .arg0(format!("java {CLASS} {}", properties.display()))
            .spawn()
            .unwrap();
        let pid = i32::try_from(ours.id()).unwrap();
        // A new process shows its arguments a moment after it was made.
        while !is_running(pid, &properties) {
            std::thread::sleep(TICK);
        }
        fs::write(node.join("pid"), pid.to_string()).unwrap();
        stop_leftovers(folder.path()).unwrap();
        assert!(!ours.wait().is_ok_and(|status| status.success()));
        fs::write(node.join("pid"), std::process::id().to_string()).unwrap();
        stop_leftovers(folder.path()).unwrap();
    }
}
