//! How long a slice may take, where the publisher says it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, OutboxStatus};
use dipmo_outbox::{Delivery, Published, Publisher};
use dipmo_processing::EngineOptions;

use crate::rig::{Rig, start, step};
use crate::script::Step;

const LEDGER: &str = "KAFKA:ledger";

/// Takes longer than the options of the engine allow, and says so.
struct Patient(AtomicUsize);

#[async_trait]
impl Publisher for Patient {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        self.0.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_secs(55)).await;
        deliveries.iter().map(|_| Published::delivered()).collect()
    }

    fn deadline(&self, _: &Destination) -> Option<Duration> {
        Some(Duration::from_secs(60))
    }
}

#[tokio::test(start_paused = true)]
async fn a_publisher_may_say_how_long_a_slice_takes_and_the_lease_outlives_it() {
    let rig = Rig::new().await;
    let tell = Step { tell: vec![LEDGER.to_owned()], ..Step::default() };
    rig.store(&[step("A", 1, tell)]).await;
    let patient = Arc::new(Patient(AtomicUsize::new(0)));
    let engine = || rig.engine(EngineOptions::default()).publisher("KAFKA:*", patient.clone());
    let running = [start(engine()), start(engine())];
    rig.until_quiet().await;
    for running in running {
        assert_eq!(running.metrics.snapshot().outbox.get(LEDGER).map_or(0, |it| it.fenced), 0);
        running.stop().await;
    }
    assert_eq!(patient.0.load(Ordering::Relaxed), 1, "nobody else took it meanwhile");
    assert_eq!(rig.outbox().await[0].status, OutboxStatus::Dispatched);
}
