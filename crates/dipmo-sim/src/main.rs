//! Runs seeds: `dipmo-sim --from 0 --seeds 1000`, or one of them: `dipmo-sim --seed 7`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints")]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use dipmo_sim::{Broken, Passed, simulate, simulate_many};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let ended = match number(&arguments, "--seed") {
        Some(seed) => simulate(seed).map(|passed| println!("seed {seed}: {passed:?}")),
        None => {
            let from = number(&arguments, "--from").unwrap_or(0);
            many(from, number(&arguments, "--seeds").unwrap_or(1_000))
        }
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(broken) => {
            eprintln!("{broken}");
            ExitCode::FAILURE
        }
    }
}

fn number(arguments: &[String], name: &str) -> Option<u64> {
    let at = arguments.iter().position(|argument| argument == name)?;
    arguments.get(at + 1)?.parse().ok()
}

fn many(from: u64, count: u64) -> Result<(), Box<Broken>> {
    let (done, steps) = (AtomicU64::new(0), AtomicU64::new(0));
    let tell = |passed: &Passed| {
        let steps = steps.fetch_add(passed.steps, Ordering::Relaxed) + passed.steps;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(1_000) {
            println!("{done} seeds, {steps} steps");
        }
    };
    simulate_many(&(from..from.saturating_add(count)), tell)?;
    println!("{} seeds passed, {} steps", done.into_inner(), steps.into_inner());
    Ok(())
}
