//! Instances that tell of themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Json, StoreError, Timestamp};
use dipmo_processing::Metrics;
use dipmo_processing::operations::{Badge, Presence};
use dipmo_store::admin::{Fleet, InstanceReport, InstanceRow};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What was told, and when; the second report is not kept.
#[derive(Default)]
struct Told(watch::Sender<Vec<(Instant, String)>>);

impl Told {
    fn note(&self, what: String) -> usize {
        self.0.send_modify(|told| told.push((Instant::now(), what)));
        self.0.borrow().len()
    }
}

#[async_trait]
impl Fleet for Told {
    async fn report(&self, report: &InstanceReport) -> Result<(), StoreError> {
        let InstanceReport { name, version, roles, report } = report;
        match self.note(format!("{name} {version} {roles} {}", report.as_str())) {
            2 => Err(StoreError::Busy { statement: "x", problem: "y".to_owned() }),
            _ => Ok(()),
        }
    }

    async fn sign_off(&self, name: &str) -> Result<(), StoreError> {
        self.note(format!("{name} is off"));
        Ok(())
    }

    async fn fleet(&self, _: u32) -> Result<Vec<InstanceRow>, StoreError> {
        Ok(Vec::new())
    }

    async fn forget_instances(&self, _: Timestamp) -> Result<u64, StoreError> {
        Ok(0)
    }
}

#[tokio::test(start_paused = true)]
async fn an_instance_reports_every_ten_seconds_and_signs_off() {
    let (fleet, metrics) = (Arc::new(Told::default()), Arc::new(Metrics::default()));
    let (stop, looks) = (CancellationToken::new(), AtomicU32::new(0));
    let [name, version, roles] = ["host-1", "0.1", "process"].map(str::to_owned);
    let look = move || Json::of(&looks.fetch_add(1, Ordering::Relaxed)).unwrap();
    let presence = Presence::new(fleet.clone(), Badge { name, version, roles }, look);
    let began = Instant::now();
    let running = tokio::spawn(presence.counting(metrics.clone()).run(stop.clone()));
    fleet.0.subscribe().wait_for(|told| told.len() == 3).await.unwrap();
    stop.cancel();
    running.await.unwrap();
    let told = fleet.0.borrow().clone();
    let expected = [
        (0, "host-1 0.1 process 0"),
        (10, "host-1 0.1 process 1"),
        (20, "host-1 0.1 process 2"),
        (20, "host-1 is off"),
    ];
    let expected = expected.map(|(at, what)| (began + Duration::from_secs(at), what.to_owned()));
    assert_eq!(told, expected);
    assert_eq!(metrics.snapshot().store_errors[&("report", "store-busy")], 1);
}
