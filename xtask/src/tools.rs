//! Programs that cargo installs, into `target/tools`, so that nothing changes in a person's home.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::{cargo, process, workspace};

/// A program that cargo installs, the same in its name and its crate.
pub(crate) struct Tool {
    /// Its name.
    pub(crate) name: &'static str,
    /// The version that is wanted; any without it.
    pub(crate) version: Option<&'static str>,
    /// What else `cargo install` is told.
    pub(crate) arguments: &'static [&'static str],
}

/// Where the program is. One that is missing, or has another version, is installed; `say` tells of that first,
/// because it takes minutes.
pub(crate) fn ensure(tool: &Tool, say: impl Fn(&str)) -> Result<PathBuf> {
    let folder = workspace::target_folder("tools")?;
    let program = folder.join("bin").join(tool.name);
    if is_there(tool, &program)? {
        return Ok(program);
    }
    let package = match tool.version {
        Some(version) => format!("{}@{version}", tool.name),
        None => tool.name.to_owned(),
    };
    say(&format!("installing {package} into target/tools; this takes some minutes, once"));
    let install = ["install", "--locked", package.as_str()];
    let mut command = cargo::shown(&workspace::root()?, &install);
    command.args(tool.arguments).arg("--root").arg(&folder);
    let (ended, output) = process::output(command)?;
    if !ended.success {
        bail!("cargo install --locked {package} failed:\n{output}");
    }
    Ok(program)
}

fn is_there(tool: &Tool, program: &Path) -> Result<bool> {
    if !program.exists() {
        return Ok(false);
    }
    let Some(version) = tool.version else { return Ok(true) };
    let mut command = Command::new(program);
    command.arg("--version");
    let (_, said) = process::output(command)?;
    Ok(said.split_whitespace().any(|word| word.trim_start_matches('v') == version))
}
