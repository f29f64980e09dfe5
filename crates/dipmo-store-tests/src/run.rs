//! Runs one test: a runtime and a thread of its own, and an end even when the store hangs.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;

use crate::support::is_full;

/// Runs a test on four threads, and fails it when it does not end.
///
/// # Panics
/// When the test does, or when it does not end in time.
pub fn run<T: Future<Output = ()> + 'static>(test: fn() -> T) {
    let limit = Duration::from_secs(if is_full() { 3_600 } else { 120 });
    let (ended, ends) = channel::<()>();
    let name = thread::current().name().unwrap_or("conformance").to_owned();
    let thread = thread::Builder::new().name(name);
    let thread = thread.spawn(move || {
        // Dropped when the test ends, well or not.
        let _ended = ended;
        let runtime = Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
        runtime.block_on(test());
        // A call that a test dropped may still run: nobody waits for it.
        runtime.shutdown_background();
    });
    let thread = thread.unwrap();
    // A store that hangs may hold its thread, so that no time-out of the runtime would ever fire.
    if ends.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
        panic!("the test did not end within {limit:?}: something waits for ever");
    }
    if let Err(panic) = thread.join() {
        resume_unwind(panic);
    }
}
