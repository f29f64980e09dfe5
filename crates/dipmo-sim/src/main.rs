//! Runs seeds: `dipmo-sim --from 0 --seeds 1000`, or one of them: `dipmo-sim --seed 7`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints")]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use dipmo_sim::{Broken, simulate};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match number(&arguments, "--seed") {
        Some(seed) => one(seed),
        None => {
            let from = number(&arguments, "--from").unwrap_or(0);
            many(from, number(&arguments, "--seeds").unwrap_or(1_000))
        }
    }
}

fn number(arguments: &[String], name: &str) -> Option<u64> {
    let at = arguments.iter().position(|argument| argument == name)?;
    arguments.get(at + 1)?.parse().ok()
}

fn one(seed: u64) -> ExitCode {
    match simulate(seed) {
        Ok(passed) => {
            println!("seed {seed}: {passed:?}");
            ExitCode::SUCCESS
        }
        Err(broken) => {
            eprintln!("{broken}");
            ExitCode::FAILURE
        }
    }
}

/// Runs seeds on all cores until one breaks or all have passed.
fn many(from: u64, count: u64) -> ExitCode {
    let next = AtomicU64::new(from);
    let (done, steps) = (AtomicU64::new(0), AtomicU64::new(0));
    let first: Mutex<Option<Box<Broken>>> = Mutex::new(None);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    let broken = first.lock().unwrap_or_else(PoisonError::into_inner).is_some();
                    if seed >= from.saturating_add(count) || broken {
                        return;
                    }
                    match simulate(seed) {
                        Ok(passed) => {
                            steps.fetch_add(passed.steps, Ordering::Relaxed);
                        }
                        Err(what) => {
                            let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                            let earlier =
                                first.as_ref().is_some_and(|other| other.options.seed < seed);
                            if !earlier {
                                *first = Some(what);
                            }
                        }
                    }
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    if done.is_multiple_of(1_000) {
                        println!("{done} seeds, {} steps", steps.load(Ordering::Relaxed));
                    }
                }
            });
        }
    });
    match first.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(broken) => {
            eprintln!("{broken}");
            ExitCode::FAILURE
        }
        None => {
            let (done, steps) = (done.into_inner(), steps.into_inner());
            println!("{done} seeds passed, {steps} steps");
            ExitCode::SUCCESS
        }
    }
}
