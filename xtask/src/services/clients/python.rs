//! A Python of its own, so that nothing is installed into the system's.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::services::folder::remove_all;
use crate::services::maven::run;
use crate::services::{account, packages};

/// Each package with its version, those that others bring too.
pub(super) const REQUIREMENTS: &str = include_str!("../../../clients/requirements.txt");
/// The same of schemathesis, apart, so that neither holds the versions of the other.
pub(super) const SCHEMATHESIS: &str = include_str!("../../../clients/schemathesis.txt");

/// Makes an environment in `folder` with what `requirements` lists.
pub(super) fn install(folder: &Path, requirements: &str) -> Result<()> {
    packages::need("python3", "python3")?;
    if let Err(error) = run(environment(folder)) {
        // Debian's Python comes without what makes one.
        if !account::is_root() {
            return Err(error.context("Type: sudo apt-get install -y python3-venv"));
        }
        packages::install("python3-venv")?;
        remove_all(folder)?;
        run(environment(folder))?;
    }
    let list = folder.join("requirements.txt");
    fs::write(&list, requirements)?;
    let mut pip = Command::new(folder.join("bin").join("python"));
    pip.args(["-m", "pip", "install", "-q", "--disable-pip-version-check"]);
    // What is not in the list is not installed: a forgotten pin fails the first test that needs it.
    pip.args(["--only-binary", ":all:", "--no-deps", "-r"]).arg(list);
    run(pip)
}

fn environment(folder: &Path) -> Command {
    let mut command = Command::new("python3");
    command.args(["-m", "venv"]).arg(folder);
    command
}
