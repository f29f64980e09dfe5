//! Running `cargo test` and telling what happened.

mod lines;
mod suites;

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde::Deserialize;

use crate::report::{Report, Tally};
use crate::{cargo, process};
pub(crate) use lines::Outcome;
pub(crate) use suites::Event;
use suites::{Suite, Suites};

/// Variables for the environment of tests.
pub(crate) type Variables = Vec<(&'static str, String)>;

/// What a package's tests are, built.
pub(crate) enum Build {
    /// The package of each test program, by the file name of the program.
    Ready(HashMap<String, String>),
    /// What the compiler said.
    Broken(String),
}

/// The arguments that choose tests, such as `--workspace` or `-p dipmo-inbox`.
#[derive(Clone, Copy)]
pub(crate) struct Selection<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) packages: &'a [&'a str],
    pub(crate) filter: Option<&'a str>,
    /// Tests whose name contains this are left out.
    pub(crate) skip: Option<&'a str>,
    /// Tests that say nothing for longer than this hang, and are ended.
    pub(crate) silence: Duration,
}

/// Builds the test programs, apart from running them, so that a compile error is never taken for
/// a failed test.
pub(crate) fn build(selection: Selection<'_>, variables: &Variables) -> Result<Build> {
    let arguments = ["test", "--no-run", "--message-format=json-render-diagnostics"];
    let mut command = cargo::parsed(selection.folder, &arguments);
    command.args(selection.packages).envs(variables.iter().map(|(name, value)| (name, value)));
    let (ended, output) = process::output(command)?;
    let (json, text): (Vec<&str>, Vec<&str>) =
        output.lines().partition(|line| line.starts_with("{\"reason\""));
    if !ended.success {
        return Ok(Build::Broken(text.join("\n")));
    }
    Ok(Build::Ready(json.into_iter().filter_map(program_and_package).collect()))
}

/// Runs the tests; `on_event` sees each binary as it ends.
pub(crate) fn run(
    selection: Selection<'_>,
    packages: HashMap<String, String>,
    variables: &Variables,
    mut on_event: impl FnMut(&Event),
) -> Result<Tally> {
    let mut command = cargo::parsed(selection.folder, &["test", "--no-fail-fast"]);
    command.args(selection.packages).args(selection.filter);
    if let Some(skip) = selection.skip {
        command.args(["--", "--skip", skip]);
    }
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    let mut suites = Suites::new(packages);
    let mut tally = Tally::default();
    let mut last_words = Vec::new();
    let mut handle = |event: &Event| {
        if let Event::Ended(suite) = event {
            tally.add(suite.tally);
        }
        on_event(event);
    };
    let ended = process::lines(command, Some(selection.silence), |line| {
        last_words.push(line.to_owned());
        for event in suites.line(line) {
            if matches!(event, Event::Started(_)) {
                last_words.clear();
            }
            handle(&event);
        }
    })?;
    // A binary that was cut short has no outcome of its own: the failure below stands for it.
    if let Some(suite) = suites.end().filter(|_| !ended.timed_out) {
        handle(&Event::Ended(suite));
    }
    if ended.timed_out || (!ended.success && tally.failed == 0) {
        // Cargo failed for a reason of its own: never green on red.
        if ended.timed_out {
            let silence = selection.silence.as_secs();
            last_words.push(format!("nothing was heard for {silence} s: a test hangs"));
        }
        let (name, failure) = ("cargo test".to_owned(), last_words.join("\n"));
        let suite = Suite { name, tally: Tally::one(false), took: ended.took, failure };
        tally.add(suite.tally);
        on_event(&Event::Ended(suite));
    }
    Ok(tally)
}

/// Shows events of a run on the report, and counts them.
pub(crate) fn show(report: &mut Report, event: &Event) {
    match event {
        Event::Started(name) | Event::Tested { name, .. } => report.now(name),
        Event::Ended(suite) => {
            report.count(&suite.name, suite.took, suite.tally);
            if !suite.failure.is_empty() {
                report.line(&suite.failure);
            }
        }
    }
}

#[derive(Deserialize)]
struct Artifact {
    manifest_path: String,
    executable: Option<String>,
}

/// Reads the message of cargo that names a test program; a package is named as its folder.
fn program_and_package(message: &str) -> Option<(String, String)> {
    let artifact: Artifact = serde_json::from_str(message).ok()?;
    let program = Path::new(artifact.executable.as_deref()?).file_name()?.to_str()?.to_owned();
    let folder = Path::new(&artifact.manifest_path).parent()?.file_name()?.to_str()?.to_owned();
    Some((program, folder))
}

#[cfg(test)]
mod tests {
    use super::program_and_package;

    #[test]
    fn a_program_is_named_after_the_folder_of_its_package() {
        let message = r#"{"reason":"compiler-artifact",
            "manifest_path":"/x/crates/dipmo-inbox/Cargo.toml",
            "executable":"/x/target/debug/deps/conformance-12ab"}"#;
        let expected = ("conformance-12ab".to_owned(), "dipmo-inbox".to_owned());
        assert_eq!(program_and_package(message), Some(expected));
        assert_eq!(program_and_package(r#"{"reason":"build-finished","success":true}"#), None);
    }
}
