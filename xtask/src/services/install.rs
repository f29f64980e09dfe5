//! The PostgreSQL that is installed on this machine: its programs, never its cluster.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{account, packages};
use crate::process;

/// The oldest major version that dipmo supports.
const OLDEST: u32 = 15;

/// The folder of the newest installed PostgreSQL that is new enough.
///
/// When there is none, root gets it installed; anybody else is told what to type.
pub(crate) fn binaries() -> Result<PathBuf> {
    if let Some(found) = newest_installed()? {
        return Ok(found);
    }
    if !account::is_root() {
        bail!(
            "PostgreSQL {OLDEST} or later is not installed. Type: \
             sudo apt-get install -y postgresql (or set DIPMO_TEST_POSTGRES to a server)"
        );
    }
    packages::install("postgresql")?;
    newest_installed()?.with_context(|| format!("the installed PostgreSQL is older than {OLDEST}"))
}

/// The version that the programs in `binaries` report, such as `15.18`.
pub(crate) fn version(binaries: &Path) -> Result<String> {
    let mut command = Command::new(binaries.join("postgres"));
    command.arg("--version");
    let (_, text) = process::output(command)?;
    parse_version(&text)
        .map(str::to_owned)
        .with_context(|| format!("`postgres --version` answered {text:?}"))
}

fn newest_installed() -> Result<Option<PathBuf>> {
    let mut found = Vec::new();
    for folder in candidates() {
        if ["postgres", "initdb"].iter().all(|name| folder.join(name).is_file()) {
            found.push((version(&folder)?, folder));
        }
    }
    Ok(newest(found))
}

/// Where PostgreSQL may be: where `pg_config` says, and in each of Debian's folders.
fn candidates() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let asked = Command::new("pg_config").arg("--bindir").output();
    if let Ok(answer) = asked {
        folders.push(PathBuf::from(String::from_utf8_lossy(&answer.stdout).trim()));
    }
    if let Ok(entries) = fs::read_dir("/usr/lib/postgresql") {
        folders.extend(entries.flatten().map(|entry| entry.path().join("bin")));
    }
    folders
}

fn newest(mut found: Vec<(String, PathBuf)>) -> Option<PathBuf> {
    found.retain(|(version, _)| major(version) >= OLDEST);
    found.sort_by_key(|(version, _)| parts(version));
    found.pop().map(|(_, folder)| folder)
}

fn major(version: &str) -> u32 {
    parts(version).first().copied().unwrap_or_default()
}

/// A pre-release such as `19beta1` counts as its first digits.
fn parts(version: &str) -> Vec<u32> {
    version
        .split('.')
        .map(|part| {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part[..digits].parse().unwrap_or_default()
        })
        .collect()
}

fn parse_version(text: &str) -> Option<&str> {
    text.split_whitespace().nth(2).filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_supported_version_is_taken() {
        let found = ["9.6.24", "15.18", "14.2", "17.2", "15.3"]
            .map(|version| (version.to_owned(), PathBuf::from(version)));
        assert_eq!(newest(found.to_vec()), Some(PathBuf::from("17.2")));
        assert_eq!(newest(found[..1].to_vec()), None);
    }

    #[test]
    fn a_version_is_read_from_what_the_server_says() {
        let debian = "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n";
        assert_eq!(parse_version(debian), Some("15.18"));
        assert_eq!(parse_version("postgres (PostgreSQL) 19beta1\n"), Some("19beta1"));
        assert_eq!(major("19beta1"), 19);
        assert_eq!(parse_version("no such file or directory"), None);
    }
}
