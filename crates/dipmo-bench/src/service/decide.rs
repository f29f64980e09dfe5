//! What a decision alone takes: a message is opened and asked about, and nothing is written.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use dipmo_api::{
    ErasedOutcome, Evidence, Facts, InstanceView, MessageView, Opened, Registry, Route,
};
use dipmo_domain::{InboxId, Json, Timestamp};
use dipmo_inbox::{Body, NewMessage};

use crate::load::Load;
use crate::report::median;

/// So many messages, so often.
const MESSAGES: usize = 20_000;
const ROUNDS: usize = 5;

/// Fails unless both decide the same of every message, for a new instance and for one that is there.
pub(super) fn must_agree(one: &Registry, other: &Registry, load: &Load) -> Result<()> {
    for message in load.messages().iter().take(MESSAGES) {
        let (first, second) = (decide(one, message, None)?, decide(other, message, None)?);
        ensure!(first == second, "a new account: {first:?} in Rust, {second:?} in YAML");
        let ErasedOutcome::Advance(known) = first else { bail!("it does not go on: {first:?}") };
        let known = Some((known.state, &known.data, known.version));
        let (first, second) = (decide(one, message, known)?, decide(other, message, known)?);
        ensure!(first == second, "a known account: {first:?} in Rust, {second:?} in YAML");
    }
    Ok(())
}

/// Nanoseconds for a message of an instance that is there.
pub(super) fn nanoseconds(registry: &Registry, load: &Load) -> Result<f64> {
    let messages = &load.messages()[..load.messages().len().min(MESSAGES)];
    let data =
        Json::parse(r#"{"reference":"acc-00000001","events":41,"note":"xxxxxxxxxxxxxxxxxxxx"}"#)?;
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        for message in messages {
            black_box(decide(registry, message, Some(("WAITING", &data, 41)))?);
        }
        rounds.push(begun.elapsed().as_secs_f64() * 1e9 / messages.len() as f64);
    }
    Ok(median(&rounds))
}

fn decide(
    registry: &Registry,
    message: &NewMessage,
    known: Option<(&str, &Json, i64)>,
) -> Result<ErasedOutcome> {
    let Body::Json(payload) = &message.body else { bail!("a message of the bench is JSON") };
    let now = Timestamp::EPOCH;
    let view = MessageView {
        inbox_id: InboxId(1),
        message_id: &message.message_id,
        source_system: &message.source_system,
        topic: &message.topic,
        aggregate_id: message.aggregate_id.as_deref(),
        event_type: message.event_type.as_deref(),
        event_version: message.event_version,
        source_version: message.source_version,
        payload,
        headers: &message.headers,
        event_ts: message.event_ts,
        received_at: now,
        attempts: 0,
    };
    let route = registry.route(view.topic, view.event_type).context("nobody takes it")?;
    let Route::Process(process) = route else { bail!("no process takes it") };
    let Opened::Question(question) = process.open(&view) else { bail!("it is not read") };
    let row = known.map(|(state, data, version)| InstanceView {
        state,
        data,
        version,
        last_source_version: None,
    });
    let facts = Facts::default();
    let evidence = Evidence { message: &view, row: row.as_ref(), facts: &facts, now };
    Ok(question.try_decide(&evidence)?)
}
