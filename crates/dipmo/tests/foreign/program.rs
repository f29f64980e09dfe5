//! Runs the programs of others.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a person types when one of them is missing.
const HINT: &str = "run `cargo xtask services clients`";

/// The Python that has confluent-kafka.
pub(crate) fn python() -> Command {
    let there = std::env::var_os("DIPMO_TEST_PYTHON").map_or_else(
        || {
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../../target/tools/python-clients/bin/python")
        },
        PathBuf::from,
    );
    assert!(there.exists(), "no confluent-kafka: {HINT}, or set DIPMO_TEST_PYTHON");
    Command::new(there)
}

pub(crate) fn kcat() -> Command {
    Command::new("kcat")
}

/// Runs it to its end with this input, and answers what it printed.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = piped
        .spawn()
        .unwrap_or_else(|error| panic!("no {}: {HINT} ({error})", command.get_program().display()));
    running.stdin.take().unwrap().write_all(input).unwrap();
    let ended = running.wait_with_output().unwrap();
    assert!(ended.status.success(), "{} says {}", command.get_program().display(), ended.status);
    ended.stdout
}
