//! The previous version of dipmo, built from its commit, for the tests of a rolling upgrade.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::folder::remove_all;
use super::maven::{Partial, run};
use super::registry::Registry;
use crate::{cargo, process, workspace};

/// The variable that tells tests where it is, and names another folder to use instead of building
/// one: with the program `dipmo` and the folder `examples` of its version.
pub(crate) const VARIABLE: &str = "DIPMO_TEST_PREVIOUS";

/// What a person is told is being built.
pub(crate) const NAME: &str = "the previous version";

/// The commit of it. Raised by hand, with each version that others may run.
fn revision() -> &'static str {
    include_str!("../../previous-version").trim()
}

/// Makes sure that it is there; answers its folder.
pub(crate) fn ensure(registry: &Registry) -> Result<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return Ok(named.into());
    }
    let _changing = registry.lock()?;
    let tools = workspace::target_folder("tools")?;
    let folder = tools.join("previous");
    // Written last: what was interrupted is made anew, and so is what is of another version.
    if fs::read_to_string(folder.join("revision")).unwrap_or_default() != revision() {
        println!("building {NAME}, {}; this happens once", revision());
        let partial = Partial::new(tools.join("previous.partial"));
        remove_all(partial.path())?;
        build(partial.path(), &folder)
            .with_context(|| format!("{NAME} was not built ({VARIABLE} can name one)"))?;
    }
    Ok(folder)
}

fn build(partial: &Path, folder: &Path) -> Result<()> {
    let (source, made) = (partial.join("source"), partial.join("made"));
    fs::create_dir_all(&source)?;
    fs::create_dir_all(&made)?;
    let archive = partial.join("source.tar");
    take(&workspace::root()?, revision(), &archive)?;
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg(&archive).arg("-C").arg(&source);
    run(tar)?;
    fs::copy(program(&source)?, made.join("dipmo"))?;
    fs::rename(source.join("examples"), made.join("examples"))?;
    fs::write(made.join("revision"), revision())?;
    remove_all(folder)?;
    fs::rename(&made, folder).with_context(|| format!("cannot move it to {}", folder.display()))
}

/// Takes a commit out of a clone. A shallow one has it not, and may fetch it alone. Git says best what is wrong:
/// there is no clone, no remote, no network, or no such commit.
fn take(clone: &Path, commit: &str, archive: &Path) -> Result<()> {
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(clone).args(words);
        git
    };
    let archived = || {
        let mut git = git(&["archive", "-o"]);
        git.arg(archive).arg(commit);
        run(git)
    };
    let Err(absent) = archived() else { return Ok(()) };
    let fetched = run(git(&["fetch", "--depth", "1", "origin", commit])).and_then(|()| archived());
    fetched.with_context(|| format!("commit {commit} is not here, and was not fetched; {absent:#}"))
}

/// Builds it, in the target of the workspace, because most of what it needs is there or is needed next. This
/// version is put in its place again by the next build.
fn program(source: &Path) -> Result<PathBuf> {
    let target = match std::env::var_os("CARGO_TARGET_DIR") {
        // Of the folder that this tool was called from, and cargo is called from another.
        Some(named) => std::path::absolute(named)?,
        None => workspace::root()?.join("target"),
    };
    let words = ["build", "--locked", "-p", "dipmo", "--bin", "dipmo"];
    let mut build = cargo::parsed(source, &words);
    build.arg("--message-format=json-render-diagnostics").arg("--target-dir").arg(&target);
    let (ended, output) = process::output(build)?;
    ensure!(ended.success, "cargo failed:\n{output}");
    // Where it lies is for cargo to say: by its settings it may be anywhere, and another one in its place.
    executable(&output, source).with_context(|| format!("cargo names no program:\n{output}"))
}

/// The program that cargo says it built of a source.
fn executable(output: &str, source: &Path) -> Option<PathBuf> {
    let artifact = |line: &str| serde_json::from_str::<Artifact>(line).ok();
    let is_ours = |artifact: &Artifact| {
        artifact.target.name == "dipmo" && artifact.manifest_path.starts_with(source)
    };
    output.lines().filter_map(artifact).filter(is_ours).find_map(|artifact| artifact.executable)
}

/// What cargo says of something that it built.
#[derive(Deserialize)]
struct Artifact {
    manifest_path: PathBuf,
    target: Target,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::{executable, revision, take};
    use crate::services::maven::run;

    #[test]
    fn the_revision_is_a_whole_commit_id() {
        let is_hex = revision().bytes().all(|it| it.is_ascii_hexdigit());
        assert!(is_hex && revision().len() == 40, "{:?}", revision());
    }

    #[test]
    fn the_program_is_the_one_that_cargo_built_of_the_source() {
        let line = |folder: &str, name: &str, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"{folder}/Cargo.toml","target":{{"name":"{name}"}},"executable":{executable}}}"#
            )
        };
        let output = [
            "   Compiling dipmo".to_owned(),
            line("/s/crates/dipmo", "dipmo", "null"),
            line("/here/crates/dipmo", "dipmo", r#""/t/debug/this""#),
            line("/s/crates/dipmo", "dipmo", r#""/t/x86/debug/dipmo""#),
        ]
        .join("\n");
        let found = executable(&output, Path::new("/s"));
        assert_eq!(found.as_deref(), Some(Path::new("/t/x86/debug/dipmo")));
        assert_eq!(executable(&output, Path::new("/elsewhere")), None);
    }

    fn git(folder: &Path, words: &[&str]) {
        let mut git = Command::new("git");
        git.current_dir(folder).args(["-c", "user.name=t", "-c", "user.email=t@localhost"]);
        run({
            git.args(words);
            git
        })
        .unwrap();
    }

    #[test]
    fn a_shallow_clone_fetches_the_commit_that_it_lacks_and_git_says_why_it_cannot() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, shallow) = (folder.path().join("whole"), folder.path().join("shallow"));
        std::fs::create_dir(&whole).unwrap();
        git(&whole, &["init", "-q"]);
        git(&whole, &["commit", "-q", "--allow-empty", "-m", "first"]);
        let first = Command::new("git").current_dir(&whole).args(["rev-parse", "HEAD"]).output();
        let first = String::from_utf8(first.unwrap().stdout).unwrap().trim().to_owned();
        git(&whole, &["commit", "-q", "--allow-empty", "-m", "second"]);
        let from = format!("file://{}", whole.display());
        git(folder.path(), &["clone", "-q", "--depth", "1", &from, "shallow"]);
        let archive = folder.path().join("source.tar");
        take(&shallow, &first, &archive).unwrap();
        assert!(archive.exists());

        let none = "0".repeat(40);
        let error = format!("{:#}", take(&shallow, &none, &archive).unwrap_err());
        assert!(error.contains("not our ref"), "{error}");
        let nowhere = folder.path().join("nowhere");
        std::fs::create_dir(&nowhere).unwrap();
        let error = format!("{:#}", take(&nowhere, &first, &archive).unwrap_err());
        assert!(error.contains("not a git repository"), "{error}");
    }
}
