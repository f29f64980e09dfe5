//! Destinations that an operator pauses: nothing of them is leased, sent or counted until they are resumed.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{OutboxStatus, Timestamp};
use dipmo_outbox::Published;
use dipmo_processing::health::{Limits, judge};
use dipmo_processing::{DispatchOptions, Engine, EngineOptions, Orders, Steering};
use dipmo_store::admin::{Control, Setting, Steered, SteeredThing};
use dipmo_store::{Dispatch as _, LeaseParams};
use tokio::sync::watch;

use crate::bulk::{Bulk, Holdup, TO};
use crate::jobs;
use crate::publishers::Recorder;
use crate::rig::{Rig, start, step};
use crate::script::Step;

const LEDGER: &str = "KAFKA:ledger";
/// Longer than a test: nobody finds anything by polling.
const NEVER: Duration = Duration::from_secs(86_400);

/// An operator.
#[derive(Clone)]
pub(crate) struct Wheel(Arc<watch::Sender<Arc<Orders>>>);

impl Wheel {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    /// Pauses these, and nothing else.
    pub(crate) fn pause(&self, kind: Steered, names: &[&str]) {
        let control = |name: &&str| Control {
            of: SteeredThing { kind, name: (*name).to_owned() },
            setting: Setting::Paused,
            actor: "ann".to_owned(),
            reason: "INC-17".to_owned(),
            since: Timestamp::EPOCH,
        };
        self.0.send_replace(Arc::new(Orders::of(names.iter().map(control).collect())));
    }

    pub(crate) fn resume(&self) {
        self.0.send_replace(Arc::default());
    }

    pub(crate) fn steers(&self, engine: Engine) -> Engine {
        engine.steered(Steering::new(self.0.subscribe()))
    }
}

fn tell(to: &str) -> Step {
    Step { tell: vec![to.to_owned()], ..Step::default() }
}

async fn lanes_that_are_free(rig: &Rig) -> usize {
    let params = LeaseParams {
        owner: dipmo_outbox::Owner("somebody".to_owned()),
        destination: LEDGER.parse().unwrap(),
        lanes: 64,
        duration: Duration::from_secs(1),
    };
    rig.store.lease(&params).await.unwrap().len()
}

#[tokio::test(start_paused = true)]
async fn a_paused_destination_is_left_alone_and_goes_on_at_once_when_it_is_resumed() {
    let rig = Rig::new().await;
    rig.store(&[step("A", 1, tell(LEDGER)), step("A", 2, tell(LEDGER))]).await;
    rig.store(&[step("B", 3, tell("KAFKA:other"))]).await;
    let (wheel, recorder) = (Wheel::new(), Recorder::new(|_, _| Published::delivered()));
    wheel.pause(Steered::Destination, &[LEDGER]);
    let dispatch = DispatchOptions { poll: NEVER, ..DispatchOptions::default() };
    let engine = rig.engine(EngineOptions { dispatch, ..EngineOptions::default() });
    let engine = wheel.steers(engine).publisher("KAFKA:*", recorder.clone());
    let pulse = engine.pulse();
    let running = start(engine);
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    assert_eq!(recorder.numbers("B"), [3], "it holds back its own destination only");
    assert!(recorder.numbers("A").is_empty(), "it was sent while it was paused");
    let state = running.metrics.snapshot().outbox[LEDGER].state.clone();
    let why = state.why().unwrap();
    assert_eq!((state.as_str(), why.code()), ("paused", "destination-paused"));
    assert!(why.message().contains("ann") && why.message().contains("INC-17"));
    let verdict = judge(&pulse.look(), &Limits::default());
    let reason = verdict.reasons.iter().find(|reason| reason.about == LEDGER).unwrap();
    assert!(reason.name == "paused" && verdict.is_ready(), "{verdict:?}");
    assert_eq!(lanes_that_are_free(&rig).await, 1, "nobody keeps its lane");
    tokio::time::sleep(Duration::from_secs(2)).await;
    wheel.resume();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(recorder.numbers("A"), [1, 2], "in order, and at once");
    let verdict = judge(&pulse.look(), &Limits::default());
    assert!(verdict.is_live() && verdict.is_ready(), "{verdict:?}");
    running.stop().await;
    let rows = rig.outbox().await;
    assert!(rows.iter().all(|row| (row.status, row.attempts) == (OutboxStatus::Dispatched, 1)));
}

#[tokio::test(start_paused = true)]
async fn a_courier_gives_its_lanes_back_after_the_slice_in_hand() {
    let rig = Rig::new().await;
    let steps: Vec<_> = (1..=6).map(|n| step(&format!("A{n}"), n, tell(LEDGER))).collect();
    rig.store(&steps).await;
    jobs::processed(&rig).await;
    let wheel = Wheel::new();
    let pausing = wheel.clone();
    let recorder = Recorder::new(move |_, _| {
        pausing.pause(Steered::Destination, &[LEDGER]);
        Published::delivered()
    });
    let dispatch = DispatchOptions { couriers: 1, units: Some(1), ..DispatchOptions::default() };
    let engine = rig.engine(EngineOptions { dispatch, ..EngineOptions::default() });
    let running = start(wheel.steers(engine).publisher("KAFKA:*", recorder.clone()));
    tokio::time::sleep(Duration::from_secs(60)).await;
    let rows = rig.outbox().await;
    let pending = rows.iter().filter(|row| row.status == OutboxStatus::Pending);
    assert_eq!(pending.clone().count(), 5, "what was sent is settled, and no more is");
    assert!(pending.clone().all(|row| row.attempts == 0));
    assert_eq!(lanes_that_are_free(&rig).await, 5, "nobody keeps its lanes");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_job_that_was_given_is_watched_to_its_end_and_no_other_begins() {
    let rig = Rig::new().await;
    jobs::store(&rig, 2).await;
    let wheel = Wheel::new();
    let pausing = wheel.clone();
    let hook = move |place: &str| {
        if place == "given" {
            pausing.pause(Steered::Destination, &[TO]);
        }
        Holdup::Nothing
    };
    let bulk = Arc::new(Bulk { hook: Box::new(hook), ..Bulk::new() });
    let engine = rig.engine(EngineOptions::default());
    let running = start(wheel.steers(engine).publisher("HTTP:*", bulk.clone()));
    bulk.reaches("deleted").await;
    rig.until_quiet().await;
    assert_eq!(bulk.applied(), [1, 2]);
    rig.store(&[step("A3", 3, jobs::tell())]).await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(bulk.times("created"), 1, "nothing new is begun");
    wheel.resume();
    rig.until_quiet().await;
    running.stop().await;
    assert_eq!(bulk.applied(), [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn a_job_that_gathers_is_not_begun_once_it_is_paused() {
    let rig = Rig::new().await;
    jobs::store(&rig, 2).await;
    let (wheel, bulk) = (Wheel::new(), Bulk::new());
    let plan = dipmo_outbox::JobPlan { gather: Duration::from_secs(30), ..bulk.plan };
    let bulk = Arc::new(Bulk { plan, ..bulk });
    let engine = rig.engine(EngineOptions::default());
    let running = start(wheel.steers(engine).publisher("HTTP:*", bulk.clone()));
    tokio::time::sleep(Duration::from_secs(10)).await;
    wheel.pause(Steered::Destination, &[TO]);
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(bulk.times("begun"), 0);
    wheel.resume();
    rig.until_quiet().await;
    running.stop().await;
    assert_eq!(bulk.applied(), [1, 2]);
}
