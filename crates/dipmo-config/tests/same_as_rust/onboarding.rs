//! Onboardings.

use std::time::Duration;

use dipmo_api::{FactRow, erase};
use dipmo_domain::Value as Cell;
use fastrand::Rng;
use onboarding::{Blocking, OnboardingProcess};
use serde_json::json;

use crate::pair::{Heard, Instance, Pair};

const A_WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

fn message(rng: &mut Rng) -> Heard {
    let (topic, event) = *rng
        .choice(&[
            ("onboarding-customer", "OnboardingRequested"),
            ("onboarding-customer", "OnboardingRequested"),
            ("internal:blocks", "BlockCreated"),
            ("internal:blocks", "BlockRefused"),
            ("timer:ONBOARDING", "BlockOverdue"),
        ])
        .unwrap();
    let customer = rng.choice(["C-1", "C-1", "C-2"]).unwrap();
    let mut payload = match event {
        "OnboardingRequested" => {
            json!({ "customerId": customer, "name": "Ada", "papersComplete": rng.u8(..4) > 0 })
        }
        "BlockCreated" => json!({ "onboardingId": "I-1" }),
        "BlockRefused" => json!({ "onboardingId": "I-1", "reason": "no" }),
        _ => json!({}),
    };
    if rng.u8(..30) == 0 {
        payload = json!({ "customerId": 7 });
    }
    Heard { topic, event, version: None, source_version: None, payload }
}

/// A row of CUSTOMERS, if there is one.
fn customer(rng: &mut Rng) -> Vec<FactRow> {
    let status = rng.choice([None, Some("QUALIFIED"), Some("BLOCKED")]).unwrap();
    let row = |status: &str| {
        FactRow::from([
            ("CUSTOMER_ID", Cell::from("C-1")),
            ("NAME", Cell::Null),
            ("STATUS", Cell::from(status)),
        ])
    };
    status.map(row).into_iter().collect()
}

#[test]
fn onboardings_in_yaml_are_onboardings_in_rust() {
    let rust = OnboardingProcess::new(Blocking::Asynchronous { within: A_WEEK });
    let pair = Pair::new(erase(rust), "onboarding");
    let mut rng = Rng::with_seed(8);
    let mut steps = 0;
    for _ in 0..3_000 {
        let mut instance = Instance::default();
        let known = customer(&mut rng);
        for _ in 0..8 {
            let heard = message(&mut rng);
            steps += u32::from(pair.hear(&mut instance, &heard, |_| known.clone()));
            if rng.u8(..20) == 0 {
                let states = ["QUALIFIED", "BLOCK_CREATED", "COMPLETED", "FAILED"];
                instance.put_into(rng.choice(states).unwrap());
            }
        }
    }
    assert!(steps > 3_000, "only {steps} steps");
}
