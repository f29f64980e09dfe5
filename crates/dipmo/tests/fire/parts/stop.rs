//! Stops the whole process where it stands, as a debugger or a frozen machine would.

use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};

use super::child::tell;

/// The folder in which instances note that they have stopped; only in a child there is one.
pub(crate) const NOTES: &str = "DIPMO_FIRE_NOTES";

/// Stops this process if it is a child and not enough of them have stopped at this point before.
/// Returns when somebody lets it go on.
pub(crate) fn at(point: &str, instances: u32) {
    let Some(notes) = std::env::var_os(NOTES) else { return };
    let free = |number: &u32| {
        let note = PathBuf::from(&notes).join(format!("{point} {number}"));
        std::fs::File::create_new(note).is_ok()
    };
    if (1..=instances).any(|number| free(&number)) {
        tell(&format!("stopped {point}"));
        kill_process(getpid(), Signal::STOP).unwrap();
        // The signal is the process's: this thread would run on until another one has taken it.
        std::thread::sleep(Duration::from_millis(100));
        tell(&format!("goes on {point}"));
    }
}
