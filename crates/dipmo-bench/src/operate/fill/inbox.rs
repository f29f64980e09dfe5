//! Messages, as the store and its batches would have left them.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::Result;
use dipmo_domain::{ErrorStage, Failure, Outcome};
use tokio_postgres::Client;

use super::copy::{Copy, Wire, time};
use super::{HOUR, WORKED_AT_ONCE, batch_from};
use crate::operate::past::{Aggregate, BATCH, Past, SOURCE, Stands, TOPICS};

/// Writes all that belongs to these messages.
pub(super) async fn write(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    log(client, past, numbers.clone()).await?;
    dedupe(client, past, numbers.clone()).await?;
    done(client, past, numbers.clone()).await?;
    ready(client, past, numbers.clone()).await?;
    exceptions(client, past, numbers.clone()).await?;
    blocks(client, past, numbers).await
}

async fn log(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    let into = "inbox_log (id, received_at, offset_num, partition_num, lane, message_id, \
                source_system, topic, key_str, aggregate_id, event_type, payload, raw_payload_base64)";
    let mut copy = Copy::into(client, into).await?;
    for number in numbers {
        let aggregate = past.aggregate(number).map(Aggregate::name);
        let key = past.order_key(number);
        let is_decoded = past.stands(number) != Stands::Undecodable;
        let payload = Past::payload(number);
        let event_type = Past::type_name(Past::event_type(number));
        copy.row(&[
            &Past::id(number).0,
            &time(past.received_at(number)),
            &number.cast_signed(),
            &i32::try_from(number % 12)?,
            &i16::from(key.lane().index()),
            &Past::message_id(number),
            &SOURCE,
            &TOPICS[Past::topic(number)],
            &key.as_str(),
            &aggregate,
            &is_decoded.then_some(event_type),
            &is_decoded.then_some(Wire(payload.as_bytes())),
            &(!is_decoded).then_some("eyJvcmRlcklkIjoK"),
        ])
        .await?;
    }
    copy.end().await
}

async fn dedupe(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    let into = "inbox_dedupe (key, content, inbox_id, received_at)";
    let mut copy = Copy::into(client, into).await?;
    for number in numbers {
        let key = Past::dedupe_key(number);
        let (content, id) = (number.cast_signed(), Past::id(number).0);
        let received_at = time(past.received_at(number));
        copy.row(&[&Wire(key.as_bytes()), &content, &id, &received_at]).await?;
    }
    copy.end().await
}

/// Two workers share the lanes; each writes a row for a batch and outcome.
async fn done(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    let into = "inbox_done (min_id, max_id, ended_at, outcome, ids)";
    let mut copy = Copy::into(client, into).await?;
    for batch in numbers.step_by(WORKED_AT_ONCE) {
        let mut rows: BTreeMap<(u8, Outcome), Vec<i64>> = BTreeMap::new();
        for number in batch_from(batch, past) {
            if let Stands::Ended(outcome) = past.stands(number) {
                let worker = past.lane(number).index() % 2;
                rows.entry((worker, outcome)).or_default().push(Past::id(number).0);
            }
        }
        let ended_at = time(past.created_at(batch));
        for ((_, outcome), ids) in rows {
            let ends = (ids.first().copied(), ids.last().copied());
            copy.row(&[&ends.0, &ends.1, &ended_at, &outcome.as_str(), &ids]).await?;
        }
    }
    copy.end().await
}

async fn ready(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    let mut chunks: BTreeMap<(u64, u8), Vec<u64>> = BTreeMap::new();
    for number in numbers.filter(|number| past.stands(*number) == Stands::Ready) {
        chunks.entry((number / BATCH, past.lane(number).index())).or_default().push(number);
    }
    let mut copy = Copy::into(client, "inbox_ready (id, logged_at, lane, ids)").await?;
    for ((_, lane), numbers) in chunks {
        let ids: Vec<i64> = numbers.iter().map(|number| Past::id(*number).0).collect();
        let logged_at = time(past.received_at(numbers[0]));
        copy.row(&[&ids[0], &logged_at, &i16::from(lane), &ids]).await?;
    }
    copy.end().await
}

async fn exceptions(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    let into = "inbox_exception (id, logged_at, next_attempt_at, parked_until, attempts, lane, held, \
                order_key, status, error_stage, error_code, error_message, fingerprint)";
    let mut copy = Copy::into(client, into).await?;
    for number in numbers {
        let stands = past.stands(number);
        if matches!(stands, Stands::Ended(_) | Stands::Ready) {
            continue;
        }
        let in_an_hour = time(past.moment(100).after(HOUR));
        let is_parked = stands == Stands::Parked;
        let is_due = is_parked || stands == Stands::Retrying;
        let was_tried = matches!(stands, Stands::Failed | Stands::Retrying);
        let key = past.order_key(number);
        let group = past.failure(number);
        let failure = group.as_ref().map(|group| &group.failure);
        copy.row(&[
            &Past::id(number).0,
            &time(past.received_at(number)),
            &is_due.then_some(in_an_hour),
            &is_parked.then_some(in_an_hour),
            &(if was_tried { 3 } else { 0 }),
            &i16::from(key.lane().index()),
            &matches!(stands, Stands::Held { .. }),
            &key.as_str(),
            &stands.status().as_str(),
            &group.as_ref().and_then(|group| group.stage).map(ErrorStage::as_str),
            &failure.map(Failure::code),
            &failure.map(Failure::message),
            &group.as_ref().map(|group| group.fingerprint().0),
        ])
        .await?;
    }
    copy.end().await
}

async fn blocks(client: &Client, past: &Past, numbers: Range<u64>) -> Result<()> {
    let mut copy = Copy::into(client, "inbox_block (order_key, head_id, lane)").await?;
    for number in numbers {
        if matches!(past.stands(number), Stands::Failed | Stands::Retrying) {
            let key = past.order_key(number);
            let lane = i16::from(key.lane().index());
            copy.row(&[&key.as_str(), &Past::id(number).0, &lane]).await?;
        }
    }
    copy.end().await
}
