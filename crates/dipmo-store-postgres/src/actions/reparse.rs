//! Performing items that are decoded again: all of a call in one transaction, with what became of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use dipmo_domain::{InboxId, StoreError};
use dipmo_store::admin::{Act, OperationLease, Performed};
use dipmo_store::{Decoded, Reparsed, Side, check_count};

use super::items::{Counted, checks, counted, meet, open};
use crate::reparse::{decide, lock};
use crate::session::Session;
use crate::sql;
use crate::store::PostgresStore;
use crate::work::remains;

pub(super) async fn run(
    store: &PostgresStore,
    lease: &OperationLease,
    messages: &[Decoded],
    gone: &[InboxId],
) -> Result<Performed, StoreError> {
    check_count(messages)?;
    check_count(gone)?;
    let operation = &lease.operation;
    if (operation.act, operation.side) != (Act::Reparse, Side::Inbox) {
        let problem = format!("operation {} decodes nothing again", operation.id.0);
        return Err(StoreError::Unexpected { statement: "perform_reparse", problem });
    }
    let mut session = store.hot().await?;
    let performed = perform(&mut session, lease, messages, gone).await;
    let performed = session.finish(performed).await?;
    store.waking(Side::Inbox, usize::from(performed.done > 0));
    Ok(performed)
}

async fn perform(
    session: &mut Session,
    lease: &OperationLease,
    messages: &[Decoded],
    gone: &[InboxId],
) -> Result<Performed, StoreError> {
    let ids = messages.iter().map(|(id, _)| id.0).chain(gone.iter().map(|id| id.0)).collect();
    let (looked, answers) = lock(session, messages, checks(lease, ids)).await?;
    let open = open(&answers);
    let is_open = |id: &InboxId| open.contains_key(&id.0);
    let messages: Cow<'_, [Decoded]> = if messages.iter().all(|(id, _)| is_open(id)) {
        messages.into()
    } else {
        messages.iter().filter(|(id, _)| is_open(id)).cloned().collect()
    };
    let (became, mut calls) = decide(session, &looked, &messages, lease.operation.force).await?;
    let mut words = BTreeMap::new();
    for ((id, _), became) in messages.iter().zip(&became) {
        // One that is there twice is decoded once, and what became of it then is what counts.
        words.entry(id.0).or_insert(became.word());
    }
    for id in gone.iter().filter(|id| is_open(id)) {
        words.entry(id.0).or_insert(Reparsed::NotFound.word());
    }
    let (ids, words) = words.into_iter().unzip();
    let changes = !calls.is_empty();
    calls.insert(0, meet(lease, ids, words));
    calls.push(sql::commit().call());
    let answers = session.run(calls).await?;
    let Counted { met, done } = counted(&answers[0]);
    Ok(Performed { met, done, releasing: changes && remains(&answers) })
}
