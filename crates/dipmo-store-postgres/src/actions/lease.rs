//! Who performs an operation, and what others say about it meanwhile.

use std::time::Duration;

use dipmo_domain::StoreError;
use dipmo_store::admin::{AuditEntry, Operation, OperationChange, OperationId, OperationLease};

use super::rows::{self, first, only};
use crate::audit;
use crate::exception::micros;
use crate::session::Session;
use crate::sql::{self, params};

pub(super) async fn take(
    mut session: Session,
    id: Option<OperationId>,
    owner: &str,
    duration: Duration,
) -> Result<Option<OperationLease>, StoreError> {
    let id = id.map(|id| id.0);
    let call = sql::operation_take().with(params![id, owner.to_owned(), micros(duration)]);
    let answers = session.run(vec![call]).await?;
    answers[0].first().map(rows::lease).transpose()
}

pub(super) async fn renew(
    mut session: Session,
    lease: &OperationLease,
    duration: Duration,
) -> Result<Operation, StoreError> {
    let id = lease.operation.id;
    let calls = vec![
        sql::begin().call(),
        sql::operation_renew().with(params![id.0, lease.epoch, micros(duration)]),
        sql::operation_find().with(params![id.0]),
        sql::commit().call(),
    ];
    let answers = session.run(calls).await?;
    let last = answers[2].first().map(rows::lease).transpose()?;
    let fenced = || StoreError::Fenced { what: format!("the lease of operation {}", id.0) };
    let ours = last.filter(|last| last.epoch == lease.epoch).ok_or_else(fenced)?;
    Ok(ours.operation)
}

pub(super) async fn give_back(
    mut session: Session,
    lease: &OperationLease,
) -> Result<(), StoreError> {
    let call = sql::operation_give_back().with(params![lease.operation.id.0, lease.epoch]);
    session.run(vec![call]).await.map(drop)
}

pub(super) async fn change(
    session: &mut Session,
    id: OperationId,
    change: OperationChange,
    entry: &AuditEntry,
) -> Result<Option<Operation>, StoreError> {
    let lock = sql::operation_lock().with(params![id.0]);
    let answers = session.run(vec![sql::begin().call(), lock]).await?;
    let found = first(&answers[1])?;
    let Some(to) = found.as_ref().and_then(|it| it.state.after(change)) else {
        session.run(vec![sql::rollback().call()]).await?;
        return Ok(found);
    };
    let changed = sql::operation_change().with(params![id.0, to.as_str()]);
    let calls = vec![changed, audit::insert(entry), sql::commit().call()];
    let answers = session.run(calls).await?;
    only(&answers[0]).map(Some)
}
