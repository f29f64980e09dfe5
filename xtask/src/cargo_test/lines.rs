//! What a line of `cargo test` means.

use crate::report::Tally;

/// A line that this tool understands; any other is part of somebody's output.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A test binary starts: its source and the file name of the program.
    Binary { source: &'a str, program: &'a str },
    /// The documentation tests of a crate start.
    DocTests { name: &'a str },
    /// One test ended.
    Test { name: &'a str, outcome: Outcome },
    /// The output of failed tests begins.
    Failures,
    /// A binary's own counts.
    Counts(Tally),
    /// Cargo says that a binary failed, which may be all that is known of it.
    CargoError,
}

/// How one test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    Skipped,
}

/// Reads one line.
pub(crate) fn parse(line: &str) -> Option<Line<'_>> {
    if let Some(rest) = line.strip_prefix("     Running ") {
        let (source, path) = rest.strip_suffix(')')?.rsplit_once(" (")?;
        let program = path.rsplit('/').next()?;
        return Some(Line::Binary { source, program });
    }
    if let Some(name) = line.strip_prefix("   Doc-tests ") {
        return Some(Line::DocTests { name });
    }
    if let Some(rest) = line.strip_prefix("test result: ") {
        return counts(rest).map(Line::Counts);
    }
    if let Some(rest) = line.strip_prefix("test ") {
        let (name, outcome) = rest.rsplit_once(" ... ")?;
        let outcome = match outcome {
            "ok" => Outcome::Passed,
            ignored if ignored.starts_with("ignored") => Outcome::Skipped,
            _ => Outcome::Failed,
        };
        return Some(Line::Test { name, outcome });
    }
    match line {
        "failures:" => Some(Line::Failures),
        // Not the summary `error: 2 targets failed:`, which is about other binaries too.
        _ if line.starts_with("error: test failed") => Some(Line::CargoError),
        _ if line.starts_with("error: doctest failed") => Some(Line::CargoError),
        _ => None,
    }
}

/// Reads `ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.01s`.
fn counts(text: &str) -> Option<Tally> {
    let (_, text) = text.split_once(". ")?;
    let mut tally = Tally::default();
    for part in text.split("; ") {
        match part.split_once(' ') {
            Some((number, "passed")) => tally.passed = number.parse().ok()?,
            Some((number, "failed")) => tally.failed = number.parse().ok()?,
            Some((number, "ignored")) => tally.skipped = number.parse().ok()?,
            _ => {}
        }
    }
    Some(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_is_named_by_its_source_and_program() {
        assert_eq!(
            parse("     Running unittests src/lib.rs (target/debug/deps/dipmo_inbox-0f1e)"),
            Some(Line::Binary { source: "unittests src/lib.rs", program: "dipmo_inbox-0f1e" })
        );
        assert_eq!(parse("   Doc-tests dipmo_api"), Some(Line::DocTests { name: "dipmo_api" }));
    }

    #[test]
    fn a_test_is_named_whatever_its_outcome() {
        for (line, outcome) in [
            ("test a::b ... ok", Outcome::Passed),
            ("test a::b ... FAILED", Outcome::Failed),
            ("test a::b ... ignored, slow", Outcome::Skipped),
        ] {
            assert_eq!(parse(line), Some(Line::Test { name: "a::b", outcome }));
        }
        assert_eq!(parse("test a::b has been running for over 60 seconds"), None);
    }

    #[test]
    fn counts_come_from_the_binary_itself() {
        let line = "test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; \
                    9 filtered out; finished in 0.01s";
        let expected = Tally { passed: 3, failed: 2, skipped: 1 };
        assert_eq!(parse(line), Some(Line::Counts(expected)));
    }
}
