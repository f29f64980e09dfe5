//! A thousand worlds with every run of the tests, and the proof that a seed is a run.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use dipmo_sim::{Passed, simulate};

/// How many seeds; `DIPMO_TEST_FULL` asks for more.
fn seeds() -> u64 {
    if std::env::var_os("DIPMO_TEST_FULL").is_some() { 10_000 } else { 1_000 }
}

/// Runs seeds on all cores, a runtime each; what the first to break says is the failure.
fn run(seeds: std::ops::Range<u64>) -> Vec<Passed> {
    let next = AtomicU64::new(seeds.start);
    let (passed, broken) = (Mutex::new(Vec::new()), Mutex::new(None));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while broken.lock().unwrap().is_none() {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    match simulate(seed) {
                        Ok(run) => passed.lock().unwrap().push(run),
                        Err(what) => *broken.lock().unwrap() = Some(what),
                    }
                }
            });
        }
    });
    if let Some(broken) = broken.into_inner().unwrap() {
        panic!("{broken}");
    }
    passed.into_inner().unwrap()
}

#[test]
fn a_thousand_seeds_hold() {
    // One seed, to repeat a failure.
    if let Some(seed) = std::env::var("DIPMO_TEST_SEED").ok().and_then(|seed| seed.parse().ok()) {
        run(seed..seed + 1);
        return;
    }
    let passed = run(0..seeds());
    // A world in which nothing happens proves nothing.
    let average =
        |count: fn(&Passed) -> usize| passed.iter().map(count).sum::<usize>() / passed.len();
    assert!(average(|run| run.messages) > 50, "too few messages");
    assert!(average(|run| run.arrivals) > 20, "too few deliveries");
}

#[test]
fn a_seed_is_a_run() {
    for seed in 0..40 {
        let runs = [simulate(seed), simulate(seed)].map(Result::unwrap);
        assert_eq!(runs[0], runs[1], "seed {seed} took two ways");
    }
}
