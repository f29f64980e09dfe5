//! Every job ended, here and there, and every record ended with its newest version.

use dipmo_outbox::JobPhase;
use dipmo_store::Jobs as _;

use crate::sim::Sim;

pub(super) async fn check(sim: &Sim) -> Result<(), String> {
    let jobs = sim.store.jobs(u32::MAX).await.map_err(|error| error.to_string())?;
    if let Some(job) = jobs.iter().find(|job| job.phase != JobPhase::Ended) {
        return Err(format!("{job:?} has not ended"));
    }
    let in_progress = sim.service().in_progress();
    if !in_progress.is_empty() {
        return Err(format!("{in_progress:?} are worked on when their jobs have ended"));
    }
    sim.outside().not_newest().map_or(Ok(()), Err)
}
