//! Maven brings what Debian does not have; where it looks is the person's own setting.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::folder::remove_all;
use super::packages;
use crate::process;

/// A half-filled folder, removed however the fetching ends.
pub(crate) struct Partial(PathBuf);

impl Partial {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if let Err(error) = remove_all(&self.0) {
            eprintln!("warning: {error:#}");
        }
    }
}

/// Maven with `goal`. It leaves marker files in `folder`, so that is one that goes away.
pub(crate) fn command(folder: &Path, goal: &str) -> Result<Command> {
    packages::need("mvn", "maven")?;
    let mut maven = Command::new("mvn");
    maven.current_dir(folder).args(["-q", "-B", goal]);
    Ok(maven)
}

/// Runs a command of the fetching; what it printed is the error if it fails.
pub(crate) fn run(command: Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let (ended, output) = process::output(command)?;
    if !ended.success {
        bail!("{program} failed:\n{output}");
    }
    Ok(())
}
