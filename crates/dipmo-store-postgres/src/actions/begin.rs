//! Beginning an operation: its row, its items and the entry of the audit, in one transaction.

use std::collections::BTreeMap;

use dipmo_domain::StoreError;
use dipmo_store::admin::{
    Act, AuditEntry, Begun, MOST_IN_OPERATION, NewOperation, Preview, Target,
};

use super::rows::only;
use super::targets::{Found, found};
use crate::audit;
use crate::rows::count;
use crate::session::Session;
use crate::sql::{self, params};

/// How many ids a preview names.
const SAMPLE: usize = 10;

pub(super) async fn preview(
    session: &mut Session,
    act: Act,
    target: &Target,
) -> Result<Preview, StoreError> {
    let mut found = found(act, target);
    let named = found.named.take();
    let (preview, params) = found.within(sql::operation_preview());
    let calls = vec![
        sql::begin_read().call(),
        sql::operation_settings().call(),
        preview.with(params),
        sql::commit().call(),
    ];
    let rows = session.run(calls).await?.swap_remove(2);
    let by_status: BTreeMap<String, u64> =
        rows.iter().map(|row| (row.get(0), count(row, 1))).collect();
    let Some(named) = named else {
        let sample = rows.first().map(|row| row.get(2)).unwrap_or_default();
        return Ok(Preview { items: by_status.values().sum(), by_status, sample });
    };
    let items = u64::try_from(named.len()).unwrap_or(u64::MAX);
    Ok(Preview { items, by_status, sample: named.into_iter().take(SAMPLE).collect() })
}

pub(super) async fn run(session: &mut Session, new: &NewOperation) -> Result<Begun, StoreError> {
    let found = found(new.act, &new.target);
    if found.named.as_ref().is_some_and(|ids| is_too_many(ids.len())) {
        return Ok(Begun::TooMany);
    }
    let AuditEntry { actor, reason, .. } = new.entry.clone();
    let per_second = new.per_second.map(|most| i32::try_from(most.get()).unwrap_or(i32::MAX));
    let begin = params![
        new.act.as_str(),
        new.target.side().as_str(),
        new.force,
        per_second,
        actor,
        reason,
    ];
    let calls = vec![
        sql::begin().call(),
        sql::operation_settings().call(),
        sql::operation_begin().with(begin),
    ];
    let answers = session.run(calls).await?;
    let id: i64 = answers[2][0].get(0);
    let items = fill(session, id, found).await?;
    if is_too_many(usize::try_from(items).unwrap_or(usize::MAX)) {
        session.run(vec![sql::rollback().call()]).await?;
        return Ok(Begun::TooMany);
    }
    let entry = AuditEntry { target: format!("operation/{id}"), ..new.entry.clone() };
    let calls = vec![
        sql::operation_filled().with(params![id, items]),
        audit::insert(&entry),
        sql::commit().call(),
    ];
    let answers = session.run(calls).await?;
    only(&answers[0]).map(Begun::Running)
}

fn is_too_many(items: usize) -> bool {
    u32::try_from(items).map_or(true, |items| items > MOST_IN_OPERATION)
}

/// Writes the items; answers how many there are.
async fn fill(session: &mut Session, operation: i64, mut found: Found) -> Result<i64, StoreError> {
    let named = found.named.take();
    let (fill, mut params) = found.within(sql::operation_fill());
    params.push(Box::new(operation));
    let fill = fill.fill("{operation}", &format!("${}", params.len()));
    let mut calls = vec![fill.with(params)];
    calls.extend(named.map(|ids| sql::operation_fill_nobody().with(params![operation, ids])));
    let answers = session.run(calls).await?;
    Ok(answers.iter().map(|rows| rows[0].get::<_, i64>(0)).sum())
}
