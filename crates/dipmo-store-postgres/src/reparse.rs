//! Decoding again what could not be decoded: under its real id, in its old place.

use std::collections::HashMap;

use dipmo_domain::{InboxId, InboxStatus, OrderKey, Outcome, StoreError};
use dipmo_inbox::{NewMessage, SameOrder};
use dipmo_store::{Decoded, Reparsed, objections};
use tokio_postgres::Row;

use crate::blocks::Heads;
use crate::lane_acts::RELEASE_IN_CALL;
use crate::message_writes::{incidents, originals, payload};
use crate::session::Session;
use crate::sql::{self, Call, Which, params};
use crate::standing::{Looked, look};
use crate::types::{PgJson, PgTime, PgUuid};

/// A message that nothing speaks against.
type Given<'a> = (i64, &'a NewMessage);

pub(crate) async fn run(
    session: &mut Session,
    decoded: &[Decoded],
    force: bool,
) -> Result<Vec<Reparsed>, StoreError> {
    let (looked, _) = lock(session, decoded, Vec::new()).await?;
    let (answers, mut calls) = decide(session, &looked, decoded, force).await?;
    calls.push(if calls.is_empty() { sql::rollback().call() } else { sql::commit().call() });
    session.run(calls).await?;
    Ok(answers)
}

/// Begins a transaction, locks the lanes that messages leave and go to, and looks where they stand.
/// `behind` runs in between; answers what it answered as well.
pub(crate) async fn lock(
    session: &mut Session,
    decoded: &[Decoded],
    behind: Vec<Call>,
) -> Result<(Looked<InboxStatus>, Vec<Vec<Row>>), StoreError> {
    let ids: Vec<i64> = decoded.iter().map(|(id, _)| id.0).collect();
    let lanes: Vec<i16> = decoded.iter().map(|(_, m)| i16::from(m.lane.index())).collect();
    let lock = sql::reparse_lanes().with(params![ids.clone(), lanes]);
    look(session, Which::Inbox, lock, behind, &ids).await
}

/// What becomes of messages whose lanes are locked, and what is left to be written of it.
pub(crate) async fn decide(
    session: &mut Session,
    looked: &Looked<InboxStatus>,
    decoded: &[Decoded],
    force: bool,
) -> Result<(Vec<Reparsed>, Vec<Call>), StoreError> {
    let standings = looked.standings.iter().map(|(id, it)| (InboxId(*id), *it)).collect();
    let objections = objections(decoded, &standings, &later(session, decoded).await?, force);
    let given: Vec<Given<'_>> = decoded
        .iter()
        .zip(&objections)
        .filter(|(_, objection)| objection.is_none())
        .map(|((id, message), _)| (id.0, message))
        .collect();
    let (mut known, mut calls) = (HashMap::new(), Vec::new());
    if !given.is_empty() {
        known = recognise(session, &given).await?;
        calls = writes(looked, &given, &known);
    }
    let answer = |((id, _), objection): (&Decoded, &Option<Reparsed>)| {
        objection.or_else(|| known.get(&id.0).copied()).unwrap_or(Reparsed::Done)
    };
    Ok((decoded.iter().zip(&objections).map(answer).collect(), calls))
}

/// The first messages of the same order keys that were processed before their turn.
async fn later(
    session: &mut Session,
    decoded: &[Decoded],
) -> Result<HashMap<InboxId, InboxId>, StoreError> {
    let in_order = |(id, message): &Decoded| Some((id.0, message.same_order()?));
    let found: Vec<(i64, SameOrder)> = decoded.iter().filter_map(in_order).collect();
    let find = sql::message_later().with(params![
        found.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
        found.iter().map(|(_, by)| by.aggregate_id.clone()).collect::<Vec<_>>(),
        found.iter().map(|(_, by)| by.key_str.clone()).collect::<Vec<_>>(),
        found.iter().map(|(_, by)| by.key_base64.clone()).collect::<Vec<_>>(),
    ]);
    let rows = session.run(vec![find]).await?.remove(0);
    Ok(rows.iter().map(|row| (InboxId(row.get(0)), InboxId(row.get(1)))).collect())
}

/// Writes the dedupe ids; answers what each message turned out to be.
async fn recognise(
    session: &mut Session,
    given: &[Given<'_>],
) -> Result<HashMap<i64, Reparsed>, StoreError> {
    let key = |message: &NewMessage| PgUuid(*message.dedupe_key.as_bytes());
    let keys: Vec<PgUuid> = given.iter().map(|(_, message)| key(message)).collect();
    let contents: Vec<i64> = given.iter().map(|(_, message)| message.content.0).collect();
    let ids: Vec<i64> = given.iter().map(|(id, _)| *id).collect();
    let answers = session
        .run(vec![
            sql::reparse_dedupe().with(params![keys.clone(), contents, ids]),
            sql::inbox_duplicates().with(params![keys]),
        ])
        .await?;
    let owners: HashMap<PgUuid, (i64, i64)> =
        answers[1].iter().map(|row| (row.get(0), (row.get(1), row.get(2)))).collect();
    let known = |(id, message): &Given<'_>| {
        let another = owners.get(&key(message)).filter(|(_, owner)| owner != id);
        let known = match another {
            None => Reparsed::Done,
            Some((content, first)) if *content == message.content.0 => {
                Reparsed::Duplicate(InboxId(*first))
            }
            Some((_, first)) => Reparsed::Impostor(InboxId(*first)),
        };
        (*id, known)
    };
    Ok(given.iter().map(known).collect())
}

/// All that is written.
fn writes(
    looked: &Looked<InboxStatus>,
    given: &[Given<'_>],
    known: &HashMap<i64, Reparsed>,
) -> Vec<Call> {
    let (mut done, mut left) = (Vec::new(), Vec::new());
    let (mut duplicates, mut impostors) = (Vec::new(), Vec::new());
    for (id, message) in given {
        match known.get(id) {
            Some(Reparsed::Duplicate(_)) => {
                duplicates.push(*id);
                left.push(*id);
            }
            Some(Reparsed::Impostor(first)) => impostors.push((first.0, *message)),
            _ => {
                let old = looked.places.get(id).and_then(|place| place.order_key.as_ref());
                left.extend((old != message.order_key.as_ref()).then_some(*id));
                done.push((*id, *message));
            }
        }
    }
    let mut calls: Vec<Call> = incidents(&impostors).into_iter().collect();
    if !duplicates.is_empty() {
        let (status, outcome) = (InboxStatus::Processed.as_str(), Outcome::Duplicate.as_str());
        calls.push(sql::operate_skip(Which::Inbox).with(params![duplicates, status, outcome]));
    }
    calls.extend(looked.heads(&left).end(Which::Inbox));
    if !done.is_empty() {
        calls.push(log(&done));
        calls.extend(bars(&done));
        calls.push(place(&done));
    }
    let (queues, lanes) = looked.lanes.clone();
    calls.push(sql::inbox_release().with(params![lanes.clone(), RELEASE_IN_CALL]));
    calls.push(sql::block_lift(Which::Inbox).with(params![queues, lanes]));
    calls
}

fn log(done: &[Given<'_>]) -> Call {
    macro_rules! column {
        ($of:expr) => {
            done.iter().map(|(_, message)| $of(*message)).collect::<Vec<_>>()
        };
    }
    sql::reparse_log().with(params![
        done.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
        column!(|m: &NewMessage| m.message_id.clone()),
        column!(|m: &NewMessage| m.source_system.clone()),
        column!(|m: &NewMessage| m.aggregate_id.clone()),
        column!(|m: &NewMessage| m.event_type.clone()),
        column!(|m: &NewMessage| m.event_version.map(i32::from)),
        column!(|m: &NewMessage| m.source_version),
        column!(payload),
        column!(|m: &NewMessage| m.event_ts.map(PgTime)),
        column!(|m: &NewMessage| originals(m).map(PgJson)),
        column!(|m: &NewMessage| i16::from(m.lane.index())),
    ])
}

/// What comes later waits until they have been processed.
fn bars(done: &[Given<'_>]) -> Option<Call> {
    let mut heads = Heads::default();
    for (id, message) in done {
        if let Some(key) = &message.order_key {
            heads.push("", key, *id, message.lane);
        }
    }
    heads.bar()
}

fn place(done: &[Given<'_>]) -> Call {
    let key =
        |message: &NewMessage| message.order_key.as_ref().map(OrderKey::as_str).map(str::to_owned);
    sql::reparse_place().with(params![
        done.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
        done.iter().map(|(_, message)| i16::from(message.lane.index())).collect::<Vec<_>>(),
        done.iter().map(|(_, message)| key(message)).collect::<Vec<_>>(),
    ])
}
