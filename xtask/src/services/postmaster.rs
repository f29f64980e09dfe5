//! Whether a server runs, and how to end it: by the process id of its own data folder.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::command_line::command_line;
use crate::process::TICK;

/// The process id that the postmaster wrote into its data folder.
pub(crate) fn pid(data: &Path) -> Option<i32> {
    let text = fs::read_to_string(data.join("postmaster.pid")).ok()?;
    // A negative number is a server without connections, such as the one inside initdb.
    text.lines().next()?.trim().parse().ok().filter(|pid| *pid > 0)
}

/// Whether the postmaster says that it takes connections.
///
/// The eighth line is what `pg_ctl --wait` reads; it needs no client, and the fetched
/// PostgreSQL 18 comes without one.
pub(crate) fn is_ready(data: &Path) -> bool {
    fs::read_to_string(data.join("postmaster.pid"))
        .is_ok_and(|text| text.lines().nth(7).is_some_and(|status| status.trim() == "ready"))
}

/// Whether process `pid` is a server on `data`, and not a stranger that got the same number.
pub(crate) fn is_running(pid: i32, data: &Path) -> bool {
    command_line(pid).is_some_and(|line| {
        line.contains("postgres") && line.contains(data.to_string_lossy().as_ref())
    })
}

/// Ends the server: first politely, then at once. A stranger's process is left alone.
pub(crate) fn stop(pid: i32, data: &Path) -> Result<()> {
    let Some(process) = Pid::from_raw(pid) else { return Ok(()) };
    for (signal, patience) in [(Signal::INT, 30), (Signal::QUIT, 10)] {
        if !is_running(pid, data) {
            break;
        }
        // An error means that it ended just now; the wait below sees that.
        let _ = kill_process(process, signal);
        wait_for_end(pid, data, Duration::from_secs(patience));
    }
    if is_running(pid, data) {
        bail!("the server with pid {pid} on {} does not end", data.display());
    }
    // If this very run started it, it is a child to be waited for; if not, this is an error.
    let _ = waitpid(Some(process), WaitOptions::NOHANG);
    Ok(())
}

fn wait_for_end(pid: i32, data: &Path, patience: Duration) {
    let deadline = Instant::now() + patience;
    while is_running(pid, data) && Instant::now() < deadline {
        std::thread::sleep(TICK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pid_file_tells_pid_and_readiness() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("postmaster.pid");
        assert_eq!(pid(folder.path()), None);
        fs::write(&file, "-77\n").unwrap();
        assert_eq!(pid(folder.path()), None, "initdb is no server");
        fs::write(&file, "77\n/d\n1\n5999\n/s\n127.0.0.1\n  1 2\nstarting\n").unwrap();
        assert_eq!(pid(folder.path()), Some(77));
        assert!(!is_ready(folder.path()));
        fs::write(&file, "77\n/d\n1\n5999\n/s\n127.0.0.1\n  1 2\nready   \n").unwrap();
        assert!(is_ready(folder.path()));
    }

    #[test]
    fn a_stranger_with_the_same_pid_is_not_our_server() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(!is_running(own, Path::new("/no/such/data")));
        stop(own, Path::new("/no/such/data")).unwrap();
    }
}
