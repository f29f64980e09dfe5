//! Programs that Debian's packages bring: root gets what is missing, others are told what to type.

use std::process::Command;

use anyhow::{Result, bail};

use super::account;
use crate::process;

/// Makes sure that `program` can be run; `package` brings it.
pub(crate) fn need(program: &str, package: &str) -> Result<()> {
    if is_there(program) {
        return Ok(());
    }
    if !account::is_root() {
        bail!("{program} is not installed. Type: sudo apt-get install -y {package}");
    }
    install(package)
}

/// Installs a package; the caller is root.
pub(crate) fn install(package: &str) -> Result<()> {
    println!("installing with apt-get: {package}");
    // A fresh machine knows no package before it has fetched the lists.
    if !apt(&["install", "-y", package])?.0 {
        apt(&["update"])?;
        let (installed, output) = apt(&["install", "-y", package])?;
        if !installed {
            bail!("apt-get install -y {package} failed:\n{output}");
        }
    }
    Ok(())
}

fn apt(arguments: &[&str]) -> Result<(bool, String)> {
    let mut command = Command::new("apt-get");
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    let (ended, output) = process::output(command)?;
    Ok((ended.success, output))
}

fn is_there(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::is_there;

    #[test]
    fn a_program_is_looked_for_where_the_shell_looks() {
        assert!(is_there("sh"));
        assert!(!is_there("no-such-program-of-dipmo"));
    }
}
