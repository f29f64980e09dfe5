//! Storing messages once more, with what became of the items that they repeat: all of a call in one transaction.

use std::collections::{BTreeMap, BTreeSet};

use dipmo_domain::{InboxId, InboxStatus, StoreError};
use dipmo_inbox::NewMessage;
use dipmo_store::admin::{Act, OperationLease, Performed, replayed};
use dipmo_store::{Acted, BLANK, Side, check_count};

use super::items::{Counted, checks, counted, meet, open};
use crate::inbox::insert;
use crate::session::Session;
use crate::sql::{self, params};
use crate::store::PostgresStore;

pub(super) async fn run(
    store: &PostgresStore,
    lease: &OperationLease,
    again: &[(InboxId, NewMessage)],
    left: &[(InboxId, &'static str)],
) -> Result<Performed, StoreError> {
    check_count(again)?;
    check_count(left)?;
    let operation = &lease.operation;
    if (operation.act, operation.side) != (Act::Replay, Side::Inbox) {
        let problem = format!("operation {} replays nothing", operation.id.0);
        return Err(StoreError::Unexpected { statement: "perform_replay", problem });
    }
    let mut session = store.hot().await?;
    let performed = perform(&mut session, lease, again, left).await;
    let performed = session.finish(performed).await?;
    store.waking(Side::Inbox, usize::try_from(performed.done).unwrap_or(usize::MAX));
    Ok(performed)
}

async fn perform(
    session: &mut Session,
    lease: &OperationLease,
    again: &[(InboxId, NewMessage)],
    left: &[(InboxId, &'static str)],
) -> Result<Performed, StoreError> {
    let ids = again.iter().map(|it| it.0.0).chain(left.iter().map(|it| it.0.0)).collect();
    let mut calls = vec![sql::begin().call(), sql::replay_beside().call()];
    calls.extend(checks(lease, ids));
    let open = open(&session.run(calls).await?);
    // They were read before, and may have been erased since.
    let ids: Vec<i64> = again.iter().map(|it| it.0.0).collect();
    let erased = session.run(vec![sql::replay_erased().with(params![ids, BLANK])]).await?.remove(0);
    let erased: BTreeSet<i64> = erased.iter().map(|row| row.get(0)).collect();
    let mut words: BTreeMap<i64, &'static str> = BTreeMap::new();
    let is_open = |id: &InboxId| open.contains_key(&id.0);
    words.extend(left.iter().filter(|(id, _)| is_open(id)).map(|(id, word)| (id.0, *word)));
    // By the order of what they repeat, which is the order of every key.
    let mut messages: BTreeMap<i64, &NewMessage> =
        again.iter().filter(|(id, _)| is_open(id)).map(|(id, message)| (id.0, message)).collect();
    messages.retain(|id, _| !erased.contains(id));
    let gone = erased.iter().filter(|id| is_open(&InboxId(**id)));
    words.extend(gone.map(|id| (*id, Acted::<InboxStatus>::Erased.word())));
    let mut calls = Vec::new();
    if !messages.is_empty() {
        let (ids, messages): (Vec<i64>, Vec<&NewMessage>) = messages.into_iter().unzip();
        let messages: Vec<NewMessage> = messages.into_iter().cloned().collect();
        let (stored, writes) = insert(session, Vec::new(), &messages).await?;
        words.extend(ids.into_iter().zip(stored.iter().map(replayed)));
        calls = writes;
    }
    let (ids, words) = words.into_iter().unzip();
    calls.insert(0, meet(lease, ids, words));
    calls.push(sql::commit().call());
    let answers = session.run(calls).await?;
    let Counted { met, done } = counted(&answers[0]);
    Ok(Performed { met, done, releasing: false })
}
