//! What this process has taken of the machine.

use std::path::PathBuf;

use anyhow::{Context as _, Result};

/// The most memory that this process ever had.
pub(crate) fn peak_kilobytes() -> Result<u64> {
    let status = std::fs::read_to_string(PathBuf::from("/proc/self/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).context("no VmHWM")?;
    let number = line.split_whitespace().nth(1).context("VmHWM has no number")?;
    Ok(number.parse()?)
}

/// User and system time of this process; a tick of the kernel's count is a hundredth of a second.
pub(crate) fn cpu_millis() -> Result<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').context("no fields")?;
    let ticks: Vec<u64> =
        fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    Ok(ticks.iter().sum::<u64>() * 10)
}
