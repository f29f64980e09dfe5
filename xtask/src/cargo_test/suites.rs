//! From the lines of `cargo test` to the outcome of each test binary.
//!
//! **Invariant:** a binary that dies without counting its tests is a failure, and its whole
//! output is kept for the person.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::lines::{Line, Outcome, parse};
use crate::report::Tally;

/// The outcome of one test binary, or of the documentation tests of one crate.
#[derive(Debug)]
pub(crate) struct Suite {
    pub(crate) name: String,
    pub(crate) tally: Tally,
    pub(crate) took: Duration,
    /// What to show of a failure; empty when all passed.
    pub(crate) failure: String,
}

/// What a line changed.
#[derive(Debug)]
pub(crate) enum Event {
    Started(String),
    Tested { name: String, outcome: Outcome },
    Ended(Suite),
}

/// Follows `cargo test` line by line.
pub(crate) struct Suites {
    /// The package of each program, because many packages have a `tests/conformance.rs`.
    packages: HashMap<String, String>,
    current: Option<Current>,
}

struct Current {
    name: String,
    started: Instant,
    tally: Option<Tally>,
    in_failures: bool,
    cargo_failed: bool,
    failures: Vec<String>,
    output: Vec<String>,
}

impl Suites {
    pub(crate) fn new(packages: HashMap<String, String>) -> Self {
        Self { packages, current: None }
    }

    /// Takes the next line in.
    pub(crate) fn line(&mut self, line: &str) -> Vec<Event> {
        let in_failures = self.current.as_ref().is_some_and(|current| current.in_failures);
        match parse(line) {
            // A failed test may print anything, also what looks like a new binary.
            Some(Line::Binary { .. } | Line::DocTests { .. } | Line::Test { .. })
                if in_failures => {}
            Some(Line::Binary { source, program }) => {
                let package = self.packages.get(program).map_or(program, String::as_str);
                return self.start(format!("{package} {source}"));
            }
            Some(Line::DocTests { name }) => return self.start(format!("{name} doc tests")),
            Some(Line::Test { name, outcome }) => {
                return vec![Event::Tested { name: name.to_owned(), outcome }];
            }
            _ => {}
        }
        if let Some(current) = &mut self.current {
            current.line(line);
        }
        Vec::new()
    }

    /// No more lines come.
    pub(crate) fn end(&mut self) -> Option<Suite> {
        self.current.take().map(Current::end)
    }

    fn start(&mut self, name: String) -> Vec<Event> {
        let ended = self.end().map(Event::Ended);
        self.current = Some(Current {
            name: name.clone(),
            started: Instant::now(),
            tally: None,
            in_failures: false,
            cargo_failed: false,
            failures: Vec::new(),
            output: Vec::new(),
        });
        ended.into_iter().chain([Event::Started(name)]).collect()
    }
}

impl Current {
    fn line(&mut self, line: &str) {
        match parse(line) {
            Some(Line::Failures) => self.in_failures = true,
            // Documentation tests may count twice: once merged, once for those run alone.
            Some(Line::Counts(tally)) => {
                self.tally.get_or_insert_default().add(tally);
                self.in_failures = false;
            }
            Some(Line::CargoError) if !self.in_failures => self.cargo_failed = true,
            _ => {}
        }
        if self.in_failures {
            self.failures.push(line.to_owned());
        }
        self.output.push(line.to_owned());
    }

    fn end(self) -> Suite {
        let (tally, failure) = match self.tally {
            // It counted no failure and then ended as one.
            Some(mut tally) if tally.failed == 0 && self.cargo_failed => {
                tally.add(Tally::one(false));
                (tally, self.output.join("\n"))
            }
            Some(tally) => (tally, self.failures.join("\n")),
            // A program without the usual harness counts as one test.
            None if self.cargo_failed => (Tally::one(false), self.output.join("\n")),
            None => (Tally::one(true), String::new()),
        };
        Suite { name: self.name, tally, took: self.started.elapsed(), failure }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILING: &str = "
     Running tests/conformance.rs (target/debug/deps/conformance-12ab)

running 2 tests
test good ... ok
test bad ... FAILED

failures:

---- bad stdout ----
     Running out of luck (deps/none-1)
assertion failed

failures:
    bad

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `-p store --test conformance`";

    const CRASHING: &str = "
     Running unittests src/lib.rs (target/debug/deps/store-34cd)

running 2 tests
memory allocation failed
error: test failed, to rerun pass `-p store --lib`

Caused by:
  process didn't exit successfully: `store-34cd` (signal: 6, SIGABRT: process abort signal)";

    fn follow(text: &str) -> Vec<Suite> {
        let packages = HashMap::from([("conformance-12ab".to_owned(), "store".to_owned())]);
        let mut suites = Suites::new(packages);
        let mut ended = Vec::new();
        for event in text.lines().flat_map(|line| suites.line(line)) {
            if let Event::Ended(suite) = event {
                ended.push(suite);
            }
        }
        ended.extend(suites.end());
        ended
    }

    #[test]
    fn a_failure_is_shown_in_full_under_the_name_of_its_package() {
        let suites = follow(FAILING);
        assert_eq!(suites.len(), 1, "output of a test is not a new binary");
        assert_eq!(suites[0].name, "store tests/conformance.rs");
        assert_eq!(suites[0].tally, Tally { passed: 1, failed: 1, skipped: 0 });
        assert!(suites[0].failure.contains("assertion failed"));
        assert!(!suites[0].failure.contains("test good"));
    }

    #[test]
    fn a_crash_is_a_failure_with_all_of_its_output() {
        let suites = follow(CRASHING);
        assert_eq!(suites[0].tally, Tally::one(false));
        assert!(suites[0].failure.contains("memory allocation failed"));
        assert!(suites[0].failure.contains("SIGABRT"));
    }

    #[test]
    fn documentation_tests_that_count_twice_are_added_up() {
        let suites = follow(
            "   Doc-tests dipmo_api\n\
             test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
             test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
        );
        assert_eq!(suites[0].name, "dipmo_api doc tests");
        assert_eq!(suites[0].tally, Tally { passed: 3, failed: 0, skipped: 1 });
    }

    #[test]
    fn a_program_without_a_harness_counts_as_one() {
        let suites = follow("     Running tests/own.rs (target/debug/deps/own-1)\nall is well");
        assert_eq!(suites[0].tally, Tally::one(true));
    }
}
