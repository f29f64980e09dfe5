//! Hits.

use std::time::Duration;

use dipmo_api::erase;
use fastrand::Rng;
use hits::HitProcess;
use serde_json::{Value, json};

use crate::pair::{Heard, Instance, Pair};

const TWO_WEEKS: Duration = Duration::from_secs(14 * 24 * 60 * 60);

const STATES: [&str; 7] = [
    "RECEIVED",
    "HIT_CREATED",
    "QUALIFIED_POSITIVE",
    "QUALIFIED_NEGATIVE",
    "REVIEW_STARTED",
    "COMPLETED",
    "FAILED",
];

fn notification(rng: &mut Rng) -> (Option<u16>, Value) {
    let id = rng.choice(["N-1", "N-1", "N-2"]).unwrap();
    let mut payload = json!({ "notificationId": id });
    let (version, name) = *rng.choice(&[(None, "clientNumber"), (Some(2), "customerId")]).unwrap();
    match rng.u8(..4) {
        0 => payload[name] = json!("C-1"),
        1 => payload[name] = Value::Null,
        _ => {}
    }
    match rng.u8(..6) {
        0 | 1 => payload["assessment"] = json!({ "positive": rng.bool() }),
        2 => payload["assessment"] = Value::Null,
        3 => payload["more"] = json!([1, { "a": 2 }]),
        _ => {}
    }
    (version, payload)
}

/// Now and then one that does not say what it must.
fn broken(rng: &mut Rng) -> Value {
    let all = [json!({}), json!([]), json!({ "positive": "yes" }), json!("x"), json!(null)];
    rng.choice(all).unwrap()
}

fn message(rng: &mut Rng) -> Heard {
    let (topic, event) = *rng
        .choice(&[
            ("notification-126", "NotificationReceived"),
            ("notification-126", "NotificationReceived"),
            ("notification-126", "HitAssessed"),
            ("notification-126", "HitAssessed"),
            ("notification-126", "ReviewCompleted"),
            ("notification-126", "HitAborted"),
            ("notification-126", "SomethingElse"),
            ("timer:HIT", "ReviewOverdue"),
        ])
        .unwrap();
    let (mut version, mut payload) = match event {
        "NotificationReceived" => notification(rng),
        "HitAssessed" => (None, json!({ "positive": rng.bool(), "by": "Ada" })),
        "ReviewCompleted" => (None, json!({ "outcome": "harmless" })),
        "HitAborted" => (None, json!({ "notificationId": "N-1", "reason": "mistake" })),
        _ => (None, json!({})),
    };
    if rng.u8(..30) == 0 {
        payload = broken(rng);
    }
    if rng.u8(..40) == 0 {
        version = Some(7);
    }
    let source_version = rng.bool().then(|| rng.i64(1..5));
    Heard { topic, event, version, source_version, payload }
}

#[test]
fn hits_in_yaml_are_hits_in_rust() {
    let pair = Pair::new(erase(HitProcess::new(TWO_WEEKS)), "hits");
    let mut rng = Rng::with_seed(8);
    let mut steps = 0;
    for _ in 0..3_000 {
        let mut instance = Instance::default();
        for _ in 0..12 {
            let heard = message(&mut rng);
            steps += u32::from(pair.hear(&mut instance, &heard, |_| Vec::new()));
            if rng.u8(..20) == 0 {
                instance.put_into(rng.choice(STATES).unwrap());
            }
        }
    }
    assert!(steps > 3_000, "only {steps} steps");
}
