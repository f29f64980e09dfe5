//! Looking and changing while gates are in use.

use dipmo_domain::Coded as _;
use serde_json::json;
use tokio::time::{advance, sleep};

use super::*;
use crate::resilience::{
    BreakerOptions, BulkheadOptions, How, LevelOptions, RateOptions, ResilienceError,
    ResilienceHandle, Target,
};

fn contact() -> Target {
    Target::object("emea", "Contact")
}

/// Enters while somebody changes something a second later.
async fn enter_while(gate: &Gate, change: impl FnOnce()) -> Result<Pass, Held> {
    let changes = async {
        sleep(secs(1)).await;
        change();
    };
    tokio::join!(gate.enter(), changes).0
}

#[tokio::test(start_paused = true)]
async fn a_new_rate_serves_who_waits_already() {
    let slow = RateOptions { calls: 1, period: secs(60), max_wait: secs(120) };
    let world = World::new(|options| options.object.rate = slow);
    let (gate, handle) = (world.contacts(), world.gates.handle());
    gate.enter().await.unwrap().ended(How::Ok);
    let faster = RateOptions { calls: 2, ..slow };
    let pass = enter_while(&gate, || handle.set_rate(&contact(), faster).unwrap()).await;
    pass.unwrap().ended(How::Ok);
    assert_eq!(world.time(), 1_000);
}

#[tokio::test(start_paused = true)]
async fn more_room_serves_who_waits_already() {
    let mut room = LevelOptions::object().bulkhead;
    room.calls = 1;
    let world = World::new(|options| options.object.bulkhead = room);
    let (gate, handle) = (world.contacts(), world.gates.handle());
    let _hangs = gate.enter().await.unwrap();
    let more = BulkheadOptions { calls: 2, ..room };
    let pass = enter_while(&gate, || handle.set_bulkhead(&contact(), more).unwrap()).await;
    pass.unwrap().ended(How::Ok);
    assert_eq!(world.time(), 1_000);
}

#[tokio::test(start_paused = true)]
async fn a_new_breaker_and_a_new_time_limit_count_from_the_next_call_on() {
    let world = World::new(|_| {});
    let (gate, handle) = (world.contacts(), world.gates.handle());
    let nervous = BreakerOptions { minimum_calls: 1, ..LevelOptions::object().breaker };
    handle.set_breaker(&contact(), nervous).unwrap();
    handle.set_time_limit(&Target::org("emea"), secs(3)).unwrap();
    assert_eq!(gate.time_limit(), secs(3));
    gate.enter().await.unwrap().ended(How::Failed);
    assert_eq!(later("salesforce-breaker-open", &gate), secs(30));
}

#[tokio::test(start_paused = true)]
async fn a_person_pauses_resumes_stops_and_starts() {
    let world = World::new(|_| {});
    let (gate, handle) = (world.contacts(), world.gates.handle());
    handle.pause(&Target::org("emea"), "release night", Some(secs(3_600))).unwrap();
    assert_eq!(later("salesforce-paused", &gate), secs(3_600));
    handle.resume(&Target::org("emea")).unwrap();
    handle.pause(&contact(), "until I say so", None).unwrap();
    advance(secs(1_000_000)).await;
    assert_eq!(code(gate.enter().await), "salesforce-paused");
    handle.resume(&contact()).unwrap();
    handle.stop(&contact(), "wrong mapping").unwrap();
    handle.resume(&contact()).unwrap();
    let held = gate.enter().await.unwrap_err();
    assert_eq!(held.after, None);
    assert_eq!(held.why.message(), "Contact in org emea: stopped by hand: wrong mapping");
    assert_eq!(handle.start(&contact()), Ok(true));
    assert_eq!(handle.start(&contact()), Ok(false));
    gate.enter().await.unwrap().ended(How::Ok);
}

#[tokio::test(start_paused = true)]
async fn a_breaker_that_a_person_opened_stays_open_until_a_person_closes_it() {
    let world = World::new(|_| {});
    let (gate, handle) = (world.contacts(), world.gates.handle());
    handle.open_breaker(&contact()).unwrap();
    advance(secs(1_000_000)).await;
    assert_eq!(code(gate.enter().await), "salesforce-breaker-open");
    assert!(matches!(gate.readiness(), Readiness::Stopped { .. }));
    handle.close_breaker(&contact()).unwrap();
    gate.enter().await.unwrap().ended(How::Ok);
}

#[tokio::test(start_paused = true)]
async fn the_view_shows_everything_and_can_be_written_as_json() {
    let world = World::new(|_| {});
    let gate = world.contacts();
    let _call = gate.enter().await.unwrap();
    gate.enter().await.unwrap().ended(How::Failed);
    gate.stop(failure("InvalidBatch"));
    let view = serde_json::to_value(world.gates.handle().view()).unwrap();
    let object = json!({
        "target": { "org": "emea", "object": "Contact" },
        "held": { "code": "InvalidBatch", "message": "because", "after_ms": null },
        "stopped": true,
        "rate": { "calls": 50, "period_ms": 1_000, "max_wait_ms": 2_000 },
        "bulkhead": { "calls": 8, "calls_now": 8, "under_way": 1, "max_wait_ms": 10_000 },
        "breaker": {
            "state": "closed", "calls": 1, "failed": 1,
            "window": 50, "failure_rate": 0.5, "open_ms": 30_000
        },
        "time_limit_ms": 30_000
    });
    let org = &view["orgs"][0];
    assert_eq!(org["objects"], json!([object]));
    assert_eq!((&org["whole"]["held"], &org["reserve"]), (&json!(null), &json!(0.2)));
    assert_eq!(org["whole"]["bulkhead"]["calls"], 10);
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let world = World::new(|_| {});
    let handle = world.gates.handle();
    let nobody = handle.start(&Target::org("emea")).unwrap_err();
    assert_eq!(nobody.to_string(), "no destination is about org emea");
    assert_eq!(nobody.code().as_str(), "salesforce-target-unknown");
    let _gate = world.contacts();
    assert!(handle.start(&Target::object("emea", "Lead")).is_err());
    let never = RateOptions { calls: 0, ..LevelOptions::org().rate };
    let refused = handle.set_rate(&contact(), never).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "resilience of Contact in org emea: rate.calls must be at least 1"
    );
    let mut options = ResilienceOptions::default();
    options.object.breaker.failure_rate = f64::NAN;
    let refused = Gates::new(options, Arc::default()).unwrap_err();
    assert!(matches!(refused, ResilienceError::Invalid { option: "breaker.failure_rate", .. }));
}

#[test]
fn a_handle_can_be_given_to_anybody() {
    fn given<T: Clone + Send + Sync + 'static>() {}
    given::<ResilienceHandle>();
}
