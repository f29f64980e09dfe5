//! What the messages caused, as dispatchers would have left it.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::Result;
use dipmo_domain::Failure;
use tokio_postgres::Client;

use super::copy::{Copy, Wire, time};
use super::{HOUR, WORKED_AT_ONCE, batch_from};
use crate::operate::past::{BATCH, Past, Sent, Unit};

/// Writes all that belongs to the intents of these messages.
pub(super) async fn write(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    log(client, past, numbers.clone()).await?;
    records(client, past, numbers.clone()).await?;
    progress(client, past, numbers.clone()).await?;
    done(client, past, numbers.clone()).await?;
    ready(client, past, numbers.clone()).await?;
    exceptions(client, past, numbers.clone()).await?;
    blocks(client, past, numbers).await
}

fn units(past: &Past, numbers: Range<u64>) -> impl Iterator<Item = (Unit, Sent)> {
    numbers
        .flat_map(|number| past.units_of(number))
        .filter_map(|unit| past.sent(unit).map(|sent| (unit, sent)))
}

async fn log(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    let into = "outbox_log (id, created_at, cause_id, lane, aggregate_type, aggregate_id, event_type, \
                destination, payload)";
    let mut copy = Copy::into(client, into).await?;
    for number in numbers.filter(|number| !past.units_of(*number).is_empty()) {
        let payload = format!(r#"{{"orderId":"O-{number}","state":"CHANGED"}}"#);
        copy.row(&[
            &Past::intent_id(number).0,
            &time(past.created_at(number)),
            &Past::id(number).0,
            &i16::from(past.lane(number).index()),
            &"order",
            &past.intent_aggregate(number),
            &Past::type_name(Past::event_type(number)),
            &Past::destination(number),
            &Wire(payload.as_bytes()),
        ])
        .await?;
    }
    copy.end().await
}

async fn records(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    let into = "outbox_record_log (id, created_at, outbox_id, lane, destination, record_key)";
    let mut copy = Copy::into(client, into).await?;
    for (unit, _) in units(past, numbers) {
        let Some(record) = unit.record else { continue };
        copy.row(&[
            &Past::unit_id(unit).0,
            &time(past.created_at(unit.number)),
            &Past::intent_id(unit.number).0,
            &i16::from(past.unit_key(unit).lane().index()),
            &Past::destination(unit.number),
            &Past::record_key(unit.number, record),
        ])
        .await?;
    }
    copy.end().await
}

async fn progress(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    let into = "outbox_progress (outbox_id, total, dispatched, failed)";
    let mut copy = Copy::into(client, into).await?;
    for number in numbers.filter(|number| Past::has_records(*number)) {
        let units = past.units_of(number);
        let failed = units.iter().filter(|unit| past.sent(**unit) == Some(Sent::Failed)).count();
        let (total, failed) = (i32::try_from(units.len())?, i32::try_from(failed)?);
        copy.row(&[&Past::intent_id(number).0, &total, &(total - failed), &failed]).await?;
    }
    copy.end().await
}

/// A row for a batch of a destination.
async fn done(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    let into = "outbox_done (min_id, max_id, ended_at, outcome, ids, refs)";
    let mut copy = Copy::into(client, into).await?;
    for batch in numbers.step_by(WORKED_AT_ONCE) {
        let mut rows: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
        for (unit, _) in
            units(past, batch_from(batch, past)).filter(|(_, sent)| *sent == Sent::Dispatched)
        {
            let of = rows.entry(Past::destination(unit.number)).or_default();
            of.push(Past::unit_id(unit).0);
        }
        let ended_at = time(past.created_at(batch));
        for mut ids in rows.into_values() {
            ids.sort_unstable();
            let ends = (ids.first().copied(), ids.last().copied());
            let refs: Vec<String> = ids.iter().map(|id| format!("ref-{id}")).collect();
            copy.row(&[&ends.0, &ends.1, &ended_at, &"DISPATCHED", &ids, &refs]).await?;
        }
    }
    copy.end().await
}

async fn ready(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    let mut chunks: BTreeMap<(u64, &str, u8), Vec<Unit>> = BTreeMap::new();
    for (unit, _) in units(past, numbers).filter(|(_, sent)| *sent == Sent::Ready) {
        let lane = past.unit_key(unit).lane().index();
        let chunk = (unit.number / BATCH, Past::destination(unit.number), lane);
        chunks.entry(chunk).or_default().push(unit);
    }
    let into = "outbox_ready (id, logged_at, lane, records, destination, ids)";
    let mut copy = Copy::into(client, into).await?;
    for ((_, destination, lane), units) in chunks {
        let ids: Vec<i64> = units.iter().map(|unit| Past::unit_id(*unit).0).collect();
        let logged_at = time(past.created_at(units[0].number));
        copy.row(&[&ids[0], &logged_at, &i16::from(lane), &false, &destination, &ids]).await?;
    }
    copy.end().await
}

async fn exceptions(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    let into = "outbox_exception (id, logged_at, next_attempt_at, attempts, lane, held, queue, \
                order_key, status, error_code, error_message, fingerprint)";
    let mut copy = Copy::into(client, into).await?;
    for (unit, sent) in units(past, numbers) {
        if matches!(sent, Sent::Dispatched | Sent::Ready) {
            continue;
        }
        let is_held = matches!(sent, Sent::Held { .. });
        let key = past.unit_key(unit);
        let group = past.unit_failure(unit);
        let failure = group.as_ref().map(|group| &group.failure);
        copy.row(&[
            &Past::unit_id(unit).0,
            &time(past.created_at(unit.number)),
            &(sent == Sent::Retrying).then_some(time(past.moment(100).after(HOUR))),
            &(if is_held { 0 } else { 5 }),
            &i16::from(key.lane().index()),
            &is_held,
            &Past::destination(unit.number),
            &key.as_str(),
            &sent.status().as_str(),
            &failure.map(Failure::code),
            &failure.map(Failure::message),
            &group.as_ref().map(|group| group.fingerprint().0),
        ])
        .await?;
    }
    copy.end().await
}

async fn blocks(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    let into = "outbox_block (queue, order_key, head_id, lane)";
    let mut copy = Copy::into(client, into).await?;
    for (unit, sent) in units(past, numbers) {
        if matches!(sent, Sent::Failed | Sent::Retrying) {
            let key = past.unit_key(unit);
            let (id, lane) = (Past::unit_id(unit).0, i16::from(key.lane().index()));
            copy.row(&[&Past::destination(unit.number), &key.as_str(), &id, &lane]).await?;
        }
    }
    copy.end().await
}
