//! A job runs in a task of its own, and a second task sees how that one ends.

use std::sync::Arc;

use tokio::task::JoinHandle;

use super::job::Job;
use super::run;
use crate::server::world::World;

/// Begins to run a job that the call with this number closed.
pub(super) fn start(world: &Arc<World>, job: &Arc<Job>, call: u64) {
    let running = world.spawn(run::run(Arc::clone(world), Arc::clone(job), call));
    world.spawn(watch(Arc::clone(world), Arc::clone(job), running));
}

/// A run that panics is a bug of the simulator. It is counted, and the job ends, so that nobody
/// waits for it forever.
async fn watch(world: Arc<World>, job: Arc<Job>, running: JoinHandle<Option<()>>) {
    if running.await.is_err_and(|ended| ended.is_panic()) {
        world.calls.count_panic();
        let mut progress = job.progress();
        if !progress.state.is_over() {
            let message = "InternalServerError : the simulator panicked".to_owned();
            progress.fail(message, world.clock.now());
        }
    }
}
