//! A thousand worlds with every run of the tests, and the proof that a seed is a run.

use std::sync::atomic::{AtomicUsize, Ordering};

use dipmo_sim::{simulate, simulate_many};

#[test]
fn a_thousand_seeds_hold() {
    // One seed, to repeat a failure.
    if let Some(seed) = std::env::var("DIPMO_TEST_SEED").ok().and_then(|seed| seed.parse().ok()) {
        simulate(seed).unwrap_or_else(|broken| panic!("{broken}"));
        return;
    }
    let is_full = std::env::var_os("DIPMO_TEST_FULL").is_some();
    let seeds = if is_full { 10_000 } else { 1_000 };
    let counts: [AtomicUsize; 4] = Default::default();
    let ended = simulate_many(&(0..seeds), |passed| {
        let more = [passed.messages, passed.arrivals, passed.jobs, passed.taken_over];
        for (all, more) in counts.iter().zip(more) {
            all.fetch_add(more, Ordering::Relaxed);
        }
    });
    ended.unwrap_or_else(|broken| panic!("{broken}"));
    // Worlds in which nothing happens prove nothing.
    let [messages, arrivals, jobs, taken_over] = counts.map(AtomicUsize::into_inner);
    assert!(messages > 50 * 1_000, "too few messages");
    assert!(arrivals > 20 * 1_000, "too few deliveries");
    assert!(jobs > 4 * 1_000 && taken_over > 1_000, "{jobs} jobs, {taken_over} taken over");
}

#[test]
fn a_seed_is_a_run() {
    for seed in 0..40 {
        let runs = [simulate(seed), simulate(seed)].map(Result::unwrap);
        assert_eq!(runs[0], runs[1], "seed {seed} took two ways");
    }
}
