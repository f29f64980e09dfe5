//! Many seeds on all cores, a runtime each.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::run::{Broken, Passed, simulate};
use crate::sim::lock;

/// Runs seeds until one breaks; `tell` hears of each that passed.
///
/// # Errors
/// The first seed of those that broke.
pub fn simulate_many(seeds: &Range<u64>, tell: impl Fn(&Passed) + Sync) -> Result<(), Box<Broken>> {
    let next = AtomicU64::new(seeds.start);
    let first: Mutex<Option<Box<Broken>>> = Mutex::new(None);
    let work = || {
        while lock(&first).is_none() {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                break;
            }
            match simulate(seed) {
                Ok(passed) => tell(&passed),
                Err(broken) => {
                    let mut first = lock(&first);
                    if first.as_ref().is_none_or(|other| other.options.seed > seed) {
                        *first = Some(broken);
                    }
                }
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let broken = lock(&first).take();
    broken.map_or(Ok(()), Err)
}
