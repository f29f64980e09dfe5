//! Legs: whether brokers answer, and all topics are there. A topic that is missing would stop the whole leg, that of
//! the dead letters too.

use std::time::Duration;

use super::Row;
use super::kafka::{absent, consumer, look, unreached};
use crate::wiring::legs::LegPlan;

/// Asks about what a leg reads and writes.
pub(super) async fn ask(plan: &LegPlan, within: Duration) -> Vec<Row> {
    let asked = plan.clone();
    let rows = tokio::task::spawn_blocking(move || rows(&asked, within));
    rows.await.unwrap_or_default()
}

fn rows(plan: &LegPlan, within: Duration) -> Vec<Row> {
    let at = format!("kafka, leg {}", plan.name);
    let client = consumer(&plan.options.kafka, &plan.options.group);
    let (brokers, topics) = match client.and_then(|client| look(&client, within)) {
        Ok(seen) => seen,
        Err(error) => return vec![Row::wrong(&at, "brokers", unreached(&error, plan.brokers))],
    };
    let mut rows = vec![Row::ok(&at, "brokers", format!("{brokers} answer"))];
    rows.extend(plan.topics.iter().map(|(topic, place)| {
        let what = format!("topic {topic}");
        match topics.get(topic) {
            Some(partitions) => Row::ok(&at, what, format!("{partitions} partitions")),
            None => Row::wrong(&at, what, absent(topic, *place, topics.keys())),
        }
    }));
    rows
}
