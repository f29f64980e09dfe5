//! The seed of a random test: another one each time, unless a failure is to be repeated.

#![expect(clippy::print_stdout, reason = "a test that fails shows the seed that it failed with")]

/// `DIPMO_TEST_SEED` if it is set.
pub(crate) fn seed() -> u64 {
    let seed = match std::env::var("DIPMO_TEST_SEED") {
        Ok(seed) => seed.parse().expect("DIPMO_TEST_SEED is a number"),
        Err(_) => fastrand::u64(..),
    };
    println!("DIPMO_TEST_SEED={seed}");
    seed
}
