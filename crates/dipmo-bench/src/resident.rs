//! What this process has taken of the machine.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// The most memory that this process ever had.
pub(crate) fn peak_kilobytes() -> Result<u64> {
    of_status(&PathBuf::from("/proc/self/status"), "VmHWM:")
}

/// What a process has of the machine's memory now.
pub(crate) fn now_kilobytes(process: u32) -> Result<u64> {
    of_status(&PathBuf::from(format!("/proc/{process}/status")), "VmRSS:")
}

fn of_status(file: &Path, name: &str) -> Result<u64> {
    let status = std::fs::read_to_string(file)?;
    let line = status.lines().find(|line| line.starts_with(name));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(number.with_context(|| format!("no {name}"))?.parse()?)
}

/// User and system time of this process.
pub(crate) fn cpu_millis() -> Result<u64> {
    cpu_of_stat(Path::new("/proc/self/stat"))
}

/// User and system time of a process.
pub(crate) fn cpu_millis_of(process: u32) -> Result<u64> {
    cpu_of_stat(&PathBuf::from(format!("/proc/{process}/stat")))
}

/// A tick of the kernel's count is a hundredth of a second.
fn cpu_of_stat(file: &Path) -> Result<u64> {
    let stat = std::fs::read_to_string(file)?;
    let (_, fields) = stat.rsplit_once(')').context("no fields")?;
    let ticks: Vec<u64> =
        fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    Ok(ticks.iter().sum::<u64>() * 10)
}
