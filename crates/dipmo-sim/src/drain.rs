//! The end of a run: without faults, everything must come to an end in bounded time.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::sim::Sim;
use crate::verify::{self, Rest};
use crate::world::WAIT;

/// How often to look.
const BEAT: Duration = Duration::from_millis(500);

/// No run needs longer once nothing goes wrong.
const PATIENCE: u32 = 240;

/// No run has nearly as many steps, unless it runs in circles.
const MOST_STEPS: u64 = 30_000;

/// Waits until the producer and the operators are done, and nothing is left to do.
pub(crate) async fn wait(sim: &Arc<Sim>, others: &[JoinHandle<()>]) -> Result<(), String> {
    let mut rest = Rest::default();
    for _ in 0..PATIENCE {
        sleep(BEAT).await;
        if sim.is_broken() {
            return Ok(());
        }
        rest = verify::rest(sim).await?;
        if sim.trace().steps() > MOST_STEPS {
            return Err(format!("this runs in circles: {rest}"));
        }
        if !others.iter().all(JoinHandle::is_finished) {
            continue;
        }
        if rest.is_nothing() {
            return Ok(());
        }
        if rest.only_waits_for_versions() {
            // What is missing never comes: the wait for it may as well be over.
            sim.step("the wait for versions is over");
            sim.clock.jump_ahead(WAIT);
        }
    }
    Err(format!("this is stuck: {rest}"))
}
