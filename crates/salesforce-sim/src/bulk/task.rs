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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::job::Maker;
    use super::super::spec::Spec;
    use super::super::state::State;
    use super::*;
    use crate::clock::Clock;
    use crate::schema::Schema;

    #[tokio::test]
    async fn a_run_that_panics_is_counted_and_its_job_fails() {
        let (_stop, stopped) = tokio::sync::watch::channel(false);
        let schema = Schema::standard().unwrap();
        let world = World::new(String::new(), schema, Clock::new(0), stopped).unwrap();
        let spec = json!({ "object": "Contact", "operation": "insert" });
        let spec = Spec::read(&spec, &world.schema).unwrap();
        let (user, now) = (world.org().first_user(), world.clock.now());
        let maker = Maker { user, user_id: String::new(), version: 620, epoch: 0, now };
        let job = world.jobs.make(spec, maker, |_| Ok(())).unwrap();
        let world = Arc::new(world);
        let running = world.spawn(async { panic!("a bug") });
        watch(Arc::clone(&world), Arc::clone(&job), running).await;
        job.over().await;
        assert_eq!(job.progress().state, State::Failed);
        assert_eq!(world.calls.counters()["panics"], 1);
    }
}
