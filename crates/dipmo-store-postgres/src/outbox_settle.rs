//! Settling units: under leases that are still ours, with the messages that belong to it.

use std::collections::HashSet;

use dipmo_domain::{StoreError, Timestamp};
use dipmo_inbox::Stored;
use dipmo_store::{Settle, SettleReport};

use crate::dispatch::columns;
use crate::session::Session;
use crate::sql::{self, Which, params};
use crate::types::PgTime;
use crate::unit_writes::UnitWrites;
use crate::work::{lifted, remains};
use crate::{inbox, message_writes, progress};

/// How many held units a settlement lets go in its own transaction.
const RELEASE_IN_SETTLE: i64 = 500;

pub(crate) async fn run(
    session: &mut Session,
    settle: Settle<'_>,
) -> Result<SettleReport, StoreError> {
    check_lanes(&settle)?;
    let (destinations, lanes, epochs) = columns(settle.leases);
    let mut calls = vec![
        sql::begin().call(),
        sql::lease_check().with(params![destinations.clone(), lanes.clone(), epochs]),
    ];
    let written = UnitWrites::of(settle.units);
    calls.extend(written.calls);
    if let Some(end) = written.ended.end(Which::Outbox) {
        calls.push(end);
        calls.push(sql::outbox_release().with(params![
            destinations.clone(),
            lanes.clone(),
            RELEASE_IN_SETTLE
        ]));
    }
    // Asked in any case: a settlement also goes on with what another one left.
    let lift = sql::block_lift(Which::Outbox).with(params![destinations, lanes]);

    let (mut ends, mut groups) = (written.ends, written.groups);
    if !written.progress.is_empty() {
        let rows = progress::count(session, std::mem::take(&mut calls), &written.progress).await?;
        ends.extend(progress::ends(session, &rows, &written.reply_to).await?);
    }
    let mut messages = settle.messages.to_vec();
    messages.extend((settle.replies)(&ends));
    let mut stored = Vec::new();
    if !messages.is_empty() {
        let (answer, writes) = inbox::insert(session, calls, &messages).await?;
        stored = answer;
        calls = writes;
    }
    groups.extend(message_writes::groups(&messages, &stored));
    calls.extend(groups.call());
    calls.push(lift);
    calls.push(sql::commit().call());
    let answers = session.run(calls).await?;
    Ok(SettleReport {
        units: settle.units.len(),
        messages: stored.iter().filter(|stored| matches!(stored, Stored::New(_))).count(),
        releasing: remains(&answers),
        at: lifted(&answers).map_or(Timestamp::EPOCH, |row| row.get::<_, PgTime>(1).0),
    })
}

fn check_lanes(settle: &Settle<'_>) -> Result<(), StoreError> {
    let leased: HashSet<_> =
        settle.leases.iter().map(|lease| (&lease.destination, lease.lane)).collect();
    let stray = settle
        .units
        .iter()
        .map(|unit| &unit.delivery)
        .find(|delivery| !leased.contains(&(&delivery.destination, delivery.lane)));
    match stray {
        None => Ok(()),
        Some(delivery) => Err(StoreError::Fenced {
            what: format!(
                "unit {}: {} of {} is not leased",
                delivery.unit, delivery.lane, delivery.destination
            ),
        }),
    }
}
