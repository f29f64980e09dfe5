//! Jobs when the engine ends: whoever is next goes on, and no lease has to run out for it.

use std::time::Duration;

use dipmo_outbox::{Ending, JobPhase, JobStep};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::rig::contact;
use super::{MemoryJob, Rig};
use crate::support::{carried, is_delivered};

fn job() -> MemoryJob {
    MemoryJob::new((0..20).map(|n| contact(&format!("C-{n}"), 1)))
}

#[tokio::test]
async fn no_call_of_a_job_is_made_for_an_engine_that_has_ended() {
    let rig = Rig::new(carried()).await;
    let begun = CancellationToken::new();
    begun.cancel();
    let job = job();
    job.ends(Ending::new(begun, CancellationToken::new()));
    assert_eq!(rig.step(&job).await, JobStep::Wait(Duration::ZERO));
    assert_eq!((job.phase(), rig.calls().len()), (JobPhase::Sealed, 0));
}

#[tokio::test]
async fn a_call_of_a_job_is_not_waited_for_at_the_end_and_the_next_finds_out_what_became_of_it() {
    for (api, phase) in [
        ("bulk.create", JobPhase::Sealed),
        ("bulk.upload", JobPhase::Made),
        ("bulk.close", JobPhase::Given),
    ] {
        let mut rig = Rig::new(carried()).await;
        rig.fault(json!({ "api": api }), json!({ "kind": "timeout_after", "hold": "60s" }));
        let (job, end) = (job(), CancellationToken::new());
        job.ends(Ending::new(end.clone(), end.clone()));
        let stop = async {
            while !rig.calls().contains_key(api) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            end.cancel();
        };
        let (step, ()) = tokio::join!(rig.step(&job), stop);
        assert_eq!((step, job.phase()), (JobStep::Wait(Duration::ZERO), phase), "{api}");
        job.ends(Ending::default());
        rig.restart();
        rig.finish(&job).await;
        assert!(job.answers().iter().flatten().all(is_delivered), "{api}");
        let ledger = rig.world.ledger("Contact");
        assert_eq!(ledger.len(), 20, "{api}");
        assert!(ledger.iter().all(|entry| entry.applied == 1), "{api}");
    }
}
