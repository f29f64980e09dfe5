//! How far intents with records are, and which of them ended.

use std::collections::{BTreeMap, HashMap};

use dipmo_domain::{Failure, OutboxId, ProcessKey, RecordKey, StoreError};
use dipmo_store::{FailedUnit, IntentEnd};

use crate::rows;
use crate::session::Session;
use crate::sql::{self, Call, params};

/// How far an intent with records is.
pub(crate) struct Progress {
    intent: i64,
    total: i32,
    dispatched: i32,
    failed: i32,
    retried: i32,
}

/// Counts units that ended, after `calls`; answers how far their intents are.
pub(crate) async fn count(
    session: &mut Session,
    mut calls: Vec<Call>,
    progress: &BTreeMap<i64, (i32, i32)>,
) -> Result<Vec<Progress>, StoreError> {
    calls.push(sql::progress_add().with(params![
        progress.keys().copied().collect::<Vec<_>>(),
        progress.values().map(|counts| counts.0).collect::<Vec<_>>(),
        progress.values().map(|counts| counts.1).collect::<Vec<_>>(),
    ]));
    let rows = session.run(calls).await?.pop().unwrap_or_default();
    let progress = |row: &tokio_postgres::Row| Progress {
        intent: row.get(0),
        total: row.get(1),
        dispatched: row.get(2),
        failed: row.get(3),
        retried: row.get(4),
    };
    Ok(rows.iter().map(progress).collect())
}

/// The intents with records that ended with this settlement and want to be answered.
pub(crate) async fn ends(
    session: &mut Session,
    progress: &[Progress],
    reply_to: &HashMap<i64, ProcessKey>,
) -> Result<Vec<IntentEnd>, StoreError> {
    let ended =
        |p: &&Progress| p.dispatched + p.failed == p.total && reply_to.contains_key(&p.intent);
    let ended: Vec<&Progress> = progress.iter().filter(ended).collect();
    let finds = ended.iter().map(|p| sql::intent_failures().with(params![p.intent])).collect();
    let failures = session.run(finds).await?;
    let failed_unit = |row: &tokio_postgres::Row| FailedUnit {
        record: Some(RecordKey(row.get(0))),
        failure: rows::failure(row, 1).unwrap_or_else(|| Failure::new("", "")),
    };
    Ok(ended
        .into_iter()
        .zip(failures)
        .map(|(p, failures)| IntentEnd {
            intent: OutboxId(p.intent),
            reply_to: reply_to[&p.intent].clone(),
            dispatched: u64::try_from(p.dispatched).unwrap_or(0),
            failed: u64::try_from(p.failed).unwrap_or(0),
            failures: failures.iter().map(failed_unit).collect(),
            retried: u32::try_from(p.retried).unwrap_or(0),
        })
        .collect())
}
