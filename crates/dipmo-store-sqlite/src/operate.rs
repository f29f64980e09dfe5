//! Operators: retrying and skipping. The one writer is the lock of all lanes.

use std::collections::HashMap;
use std::str::FromStr;

use async_trait::async_trait;
use dipmo_domain::{
    InboxId, InboxStatus, OrderKey, OutboxId, OutboxStatus, Outcome, StoreError, UnknownName,
};
use dipmo_store::admin::Act;
use dipmo_store::{
    Acted, BoxStatus, Decoded, Failed, Operate, Operated, Reparsed, Side, Standing, check_count,
    judge,
};
use rusqlite::Row;

use crate::releases::Endings;
use crate::sql::{self, Which};
use crate::tx::Tx;
use crate::{SqliteStore, reparse, resend, rows};

#[async_trait]
impl Operate for SqliteStore {
    async fn retry(
        &self,
        messages: &[InboxId],
        force: bool,
    ) -> Result<Operated<InboxStatus>, StoreError> {
        check_count(messages)?;
        let ids: Vec<i64> = messages.iter().map(|id| id.0).collect();
        let rule = move |_, it: &Standing<InboxStatus>| it.retry(force);
        self.write(move |tx| retry(tx, Which::Inbox, &ids, rule)).await
    }

    async fn retry_failed(&self, failed: &[Failed]) -> Result<Operated<InboxStatus>, StoreError> {
        check_count(failed)?;
        let failed = failed.to_vec();
        self.write(move |tx| {
            let ids: Vec<i64> = failed.iter().map(|failed| failed.message.0).collect();
            let rule = |place: usize, it: &Standing<_>| it.retry_failed(failed[place].retried);
            retry(tx, Which::Inbox, &ids, rule)
        })
        .await
    }

    async fn skip(&self, messages: &[InboxId]) -> Result<Operated<InboxStatus>, StoreError> {
        check_count(messages)?;
        let ids: Vec<i64> = messages.iter().map(|id| id.0).collect();
        self.write(move |tx| {
            skip(tx, Which::Inbox, &ids, |_, it: &Standing<InboxStatus>| it.skip())
        })
        .await
    }

    async fn release_behind(
        &self,
        messages: &[InboxId],
    ) -> Result<Operated<InboxStatus>, StoreError> {
        check_count(messages)?;
        let ids: Vec<i64> = messages.iter().map(|id| id.0).collect();
        let rule = |_, it: &Standing<InboxStatus>| it.release_behind();
        self.write(move |tx| release_behind(tx, Which::Inbox, &ids, rule)).await
    }

    async fn retry_units(
        &self,
        units: &[OutboxId],
        force: bool,
    ) -> Result<Operated<OutboxStatus>, StoreError> {
        check_count(units)?;
        let ids: Vec<i64> = units.iter().map(|id| id.0).collect();
        let rule = move |_, it: &Standing<OutboxStatus>| it.retry(force);
        self.write(move |tx| retry(tx, Which::Outbox, &ids, rule)).await
    }

    async fn skip_units(&self, units: &[OutboxId]) -> Result<Operated<OutboxStatus>, StoreError> {
        check_count(units)?;
        let ids: Vec<i64> = units.iter().map(|id| id.0).collect();
        self.write(move |tx| {
            skip(tx, Which::Outbox, &ids, |_, it: &Standing<OutboxStatus>| it.skip())
        })
        .await
    }

    async fn release_behind_units(
        &self,
        units: &[OutboxId],
    ) -> Result<Operated<OutboxStatus>, StoreError> {
        check_count(units)?;
        let ids: Vec<i64> = units.iter().map(|id| id.0).collect();
        let rule = |_, it: &Standing<OutboxStatus>| it.release_behind();
        self.write(move |tx| release_behind(tx, Which::Outbox, &ids, rule)).await
    }

    async fn reparse(
        &self,
        messages: &[Decoded],
        force: bool,
    ) -> Result<Vec<Reparsed>, StoreError> {
        check_count(messages)?;
        let messages = messages.to_vec();
        self.write(move |tx| Ok(reparse::run(tx, &messages, force)?.0)).await
    }
}

/// Does to messages or units what the rule says of each, told its place.
pub(crate) fn act<S: Status>(
    tx: &Tx<'_>,
    which: Which,
    act: Act,
    ids: &[i64],
    rule: impl Fn(usize, &Standing<S>) -> Acted<S>,
) -> Result<Operated<S>, StoreError> {
    match act {
        Act::Retry => retry(tx, which, ids, rule),
        Act::Skip => skip(tx, which, ids, rule),
        Act::Release => release_behind(tx, which, ids, rule),
        // What it is decoded to, or what is stored again, is not said here, so nothing can be done.
        Act::Reparse | Act::Replay => {
            let (standings, _) = look(tx, which, ids)?;
            Ok(Operated { acts: judge(ids, &standings, rule).0, releasing: false })
        }
        Act::Resend => resend::run(tx, ids, rule),
    }
}

/// Makes messages or units due as if they had never been tried, of which the rule says so.
pub(crate) fn retry<S: Status>(
    tx: &Tx<'_>,
    which: Which,
    ids: &[i64],
    rule: impl Fn(usize, &Standing<S>) -> Acted<S>,
) -> Result<Operated<S>, StoreError> {
    let (standings, places) = look(tx, which, ids)?;
    let (acts, done) = judge(ids, &standings, rule);
    let status = match which {
        Which::Inbox => InboxStatus::Retry.as_str(),
        Which::Outbox => OutboxStatus::Pending.as_str(),
    };
    for id in done {
        let place = &places[&id];
        tx.run(&sql::operate_retry(which), (id, status, tx.now().as_micros()))?;
        if let Some(intent) = place.intent.filter(|_| place.failed) {
            tx.run(&sql::progress_operate(), (intent, 1, 0))?;
        }
        tx.arrived(which.into());
    }
    Ok(Operated { acts, releasing: false })
}

fn skip<S: Status>(
    tx: &Tx<'_>,
    which: Which,
    ids: &[i64],
    rule: impl Fn(usize, &Standing<S>) -> Acted<S>,
) -> Result<Operated<S>, StoreError> {
    let (standings, places) = look(tx, which, ids)?;
    let (acts, done) = judge(ids, &standings, rule);
    let status = match which {
        Which::Inbox => InboxStatus::Processed.as_str(),
        Which::Outbox => OutboxStatus::Failed.as_str(),
    };
    for id in &done {
        end(tx, which, *id, status, Outcome::Skipped)?;
        if let Some(intent) = places[id].intent {
            tx.run(&sql::progress_operate(), (intent, 0, 1))?;
        }
    }
    Ok(Operated { acts, releasing: go_on_without(tx, which, &done, &places)? })
}

fn release_behind<S: Status>(
    tx: &Tx<'_>,
    which: Which,
    ids: &[i64],
    rule: impl Fn(usize, &Standing<S>) -> Acted<S>,
) -> Result<Operated<S>, StoreError> {
    let (standings, places) = look(tx, which, ids)?;
    let (acts, done) = judge(ids, &standings, rule);
    if which == Which::Inbox {
        for id in &done {
            tx.run(&sql::operate_release(), [id])?;
        }
    }
    Ok(Operated { acts, releasing: go_on_without(tx, which, &done, &places)? })
}

/// Ends the blocks of heads, lets go what they held, and wakes what waits for their versions; true
/// when held ones remain.
fn go_on_without(
    tx: &Tx<'_>,
    which: Which,
    heads: &[i64],
    places: &HashMap<i64, Place>,
) -> Result<bool, StoreError> {
    let mut endings = Endings::new(which);
    for id in heads {
        let place = &places[id];
        let Some(key) = &place.order_key else { continue };
        endings.ended(&place.queue, key, *id);
        if which == Which::Inbox {
            tx.run(&sql::wake(), (key.as_str(), tx.now().as_micros()))?;
            tx.arrived(Side::Inbox);
        }
    }
    endings.apply(tx)
}

/// Ends a message or unit that was not tried.
pub(crate) fn end(
    tx: &Tx<'_>,
    which: Which,
    id: i64,
    status: &str,
    outcome: Outcome,
) -> Result<(), StoreError> {
    let params = (id, status, tx.now().as_micros(), outcome.as_str());
    tx.run(&sql::operate_skip(which), params).map(drop)
}

/// A status of either box.
pub(crate) trait Status: BoxStatus + FromStr<Err = UnknownName> {}

impl Status for InboxStatus {}

impl Status for OutboxStatus {}

/// What a change needs to know beside where something stands.
pub(crate) struct Place {
    queue: String,
    pub(crate) order_key: Option<OrderKey>,
    /// The intent, of a unit that is one of its records.
    intent: Option<i64>,
    failed: bool,
}

pub(crate) type Looked<S> = (HashMap<i64, Standing<S>>, HashMap<i64, Place>);

pub(crate) fn look<S: Status>(
    tx: &Tx<'_>,
    which: Which,
    ids: &[i64],
) -> Result<Looked<S>, StoreError> {
    let find = match which {
        Which::Inbox => sql::message_standing(),
        Which::Outbox => sql::unit_standing(),
    };
    let (mut standings, mut places) = (HashMap::new(), HashMap::new());
    for id in ids {
        if let Some((standing, place)) = tx.one(&find, [id], read)? {
            standings.insert(*id, standing);
            places.insert(*id, place);
        }
    }
    Ok((standings, places))
}

fn read<S: Status>(row: &Row<'_>) -> rusqlite::Result<(Standing<S>, Place)> {
    let standing = Standing {
        status: rows::parsed(row, 0)?,
        attempts: row.get(1)?,
        aside: row.get(2)?,
        held: row.get(3)?,
        parked: row.get(4)?,
        skipped: row.get(5)?,
        erased: row.get(12)?,
        retried: row.get(11)?,
        heads: row.get(10)?,
        overtaken_by: row.get::<_, Option<i64>>(9)?.map(S::id),
    };
    let place = Place {
        queue: row.get::<_, Option<String>>(6)?.unwrap_or_default(),
        order_key: row.get::<_, Option<String>>(7)?.map(|key| OrderKey::new(&key)),
        intent: row.get(8)?,
        failed: row.get_ref(0)?.as_str()? == OutboxStatus::Failed.as_str(),
    };
    Ok((standing, place))
}
