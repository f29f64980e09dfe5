//! What a person sees while a run goes on, and the counts at its end.

use std::fmt;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How many of the slowest steps are listed.
const SLOWEST: usize = 10;

/// The counts of the last line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Tally {
    /// One thing that passed or failed.
    pub(crate) fn one(passed: bool) -> Self {
        Self { passed: passed.into(), failed: (!passed).into(), skipped: 0 }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    pub(crate) fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Success only if something passed and nothing failed: an empty run proves nothing.
    pub(crate) fn exit_code(self) -> ExitCode {
        if self.failed == 0 && self.passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, failed, skipped } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

/// The progress of a run: a spinner on a terminal, plain lines elsewhere.
pub(crate) struct Report {
    bar: ProgressBar,
    tally: Tally,
    timings: Vec<(String, Duration)>,
}

impl Report {
    pub(crate) fn new() -> Self {
        // indicatif hides the bar by itself when there is no terminal.
        let bar = ProgressBar::new_spinner();
        let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, tally: Tally::default(), timings: Vec::new() }
    }

    /// Says what is going on; seen on a terminal only.
    pub(crate) fn now(&self, what: &str) {
        self.bar.set_message(format!("({}) {what}", self.tally));
    }

    /// Prints a line that stays.
    pub(crate) fn line(&self, text: &str) {
        self.bar.suspend(|| println!("{text}"));
    }

    /// Counts a check that passes or fails as a whole.
    pub(crate) fn check(&mut self, name: &str, took: Duration, passed: bool) {
        let mark = if passed { "ok    " } else { "FAILED" };
        self.line(&format!("{mark} {name} in {:.1} s", took.as_secs_f64()));
        self.tally_up(name, took, Tally::one(passed));
    }

    /// Counts the tests of one binary.
    pub(crate) fn count(&mut self, name: &str, took: Duration, tally: Tally) {
        let mark = if tally.failed == 0 { "ok    " } else { "FAILED" };
        let seconds = took.as_secs_f64();
        self.line(&format!("{mark} {name}: {tally} in {seconds:.1} s"));
        self.tally_up(name, took, tally);
    }

    /// As [`Self::count`], for a caller that prints a line of its own.
    pub(crate) fn tally_up(&mut self, name: &str, took: Duration, tally: Tally) {
        self.tally.add(tally);
        self.time(name, took);
    }

    /// Records something that is not a check of its own, such as a build.
    pub(crate) fn time(&mut self, name: &str, took: Duration) {
        self.timings.push((name.to_owned(), took));
    }

    /// Records a failure with all that is known of it.
    pub(crate) fn fail(&mut self, name: &str, output: &str) {
        self.tally.add(Tally::one(false));
        self.line(&format!("FAILED {name}"));
        self.line(output.trim_end());
    }

    pub(crate) fn tally(&self) -> Tally {
        self.tally
    }

    /// Prints what took long and, as the last line, the counts.
    pub(crate) fn close(mut self) -> ExitCode {
        self.bar.finish_and_clear();
        self.timings.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
        self.timings.truncate(SLOWEST);
        println!("\nwhat took long:");
        for (name, took) in &self.timings {
            println!("{:>8.1} s  {name}", took.as_secs_f64());
        }
        println!("\n{}", self.tally);
        self.tally.exit_code()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_never_reads_green_on_red() {
        let mut tally = Tally { passed: 7, failed: 0, skipped: 1 };
        tally.add(Tally::one(false));
        assert_eq!(tally.to_string(), "7 passed, 1 failed, 1 skipped");
        assert_eq!(tally.exit_code(), ExitCode::FAILURE);
    }

    #[test]
    fn an_empty_run_is_no_success() {
        assert_eq!(Tally::default().exit_code(), ExitCode::FAILURE);
        assert_eq!(Tally::one(true).exit_code(), ExitCode::SUCCESS);
    }
}
