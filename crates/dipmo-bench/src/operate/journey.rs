//! `operate.journey_p99_ms`: one message and all that came of it, wherever in history it is, as the API shows it.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use super::api::Api;
use super::past::Past;
use crate::chance::Chance;
use crate::report::{Row, percentile};

/// How many journeys are measured, and how many before them warm up.
const JOURNEYS: usize = 1_000;
const WARM_UP: usize = 50;

/// What is looked at of a journey.
#[derive(Deserialize)]
struct Journey {
    message: i64,
    tree: Tree,
}

#[derive(Deserialize)]
struct Tree {
    message: Option<Message>,
    intents: Vec<Intent>,
}

#[derive(Deserialize)]
struct Message {
    message_id: String,
}

#[derive(Deserialize)]
struct Intent {
    units: Vec<Unit>,
}

#[derive(Deserialize)]
struct Unit {
    id: i64,
}

/// Follows messages from all over history.
pub(super) async fn run(api: &Api, past: &Past) -> Result<Row> {
    let mut chance = Chance::new(17);
    let mut times = Vec::new();
    for journey in 0..WARM_UP + JOURNEYS {
        let took = follow(api, past, chance.below(past.count())).await?;
        if journey >= WARM_UP {
            times.push(took);
        }
    }
    times.sort_unstable();
    Ok(Row::plain("operate.journey_p99_ms", percentile(&times, 99), "ms"))
}

/// How long one takes; it must show the message and the units that were filled.
async fn follow(api: &Api, past: &Past, number: u64) -> Result<Duration> {
    let id = Past::id(number).0;
    let asked = Instant::now();
    let answer = api.get(&format!("/messages/{id}/journey")).await?;
    let took = asked.elapsed();
    let journey: Journey = serde_json::from_slice(&answer).context("a journey is another shape")?;
    let message = journey.tree.message.with_context(|| format!("message {id} is missing"))?;
    let is_it = journey.message == id && message.message_id == Past::message_id(number);
    ensure!(is_it, "the journey of message {id} is that of another");
    let units = journey.tree.intents.iter().flat_map(|intent| &intent.units);
    let found: Vec<i64> = units.map(|unit| unit.id).collect();
    let wanted: Vec<_> =
        past.units_of(number).into_iter().map(|unit| Past::unit_id(unit).0).collect();
    ensure!(found == wanted, "message {id} caused {found:?}, and {wanted:?} were filled");
    Ok(took)
}
