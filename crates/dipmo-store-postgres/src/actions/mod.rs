//! Operations: what an operator does to many messages or units.
//!
//! Start reading at `perform.rs`.

mod begin;
mod items;
mod lease;
mod perform;
mod reparse;
mod replay;
mod resend;
mod rows;
mod targets;

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{InboxId, StoreError, Timestamp};
use dipmo_inbox::NewMessage;
use dipmo_store::Decoded;
use dipmo_store::admin::{
    Act, Actions, AuditEntry, Begun, Listing, NewOperation, Operation, OperationChange,
    OperationId, OperationItem, OperationLease, Page, Performed, Preview, Target,
};

use crate::listing::{Mark, OPERATIONS, Search};
use crate::rows::count;
use crate::sql::{self, params};
use crate::store::PostgresStore;
use crate::types::PgTime;

#[async_trait]
impl Actions for PostgresStore {
    async fn preview(&self, act: Act, target: &Target) -> Result<Preview, StoreError> {
        let mut session = self.report().await?;
        let preview = begin::preview(&mut session, act, target).await;
        session.finish(preview).await
    }

    async fn begin_operation(&self, new: &NewOperation) -> Result<Begun, StoreError> {
        let mut session = self.report().await?;
        let begun = begin::run(&mut session, new).await;
        session.finish(begun).await
    }

    async fn take_operation(
        &self,
        id: Option<OperationId>,
        owner: &str,
        duration: Duration,
    ) -> Result<Option<OperationLease>, StoreError> {
        lease::take(self.hot().await?, id, owner, duration).await
    }

    async fn renew_operation(
        &self,
        lease: &OperationLease,
        duration: Duration,
    ) -> Result<Operation, StoreError> {
        lease::renew(self.hot().await?, lease, duration).await
    }

    async fn give_back_operation(&self, lease: &OperationLease) -> Result<(), StoreError> {
        lease::give_back(self.hot().await?, lease).await
    }

    async fn next_items(
        &self,
        lease: &OperationLease,
        limit: u32,
    ) -> Result<Vec<OperationItem>, StoreError> {
        let next = sql::operation_next().with(params![lease.operation.id.0, i64::from(limit)]);
        let found = self.hot().await?.run(vec![next]).await?.remove(0);
        Ok(found.iter().map(rows::item).collect())
    }

    async fn perform(
        &self,
        lease: &OperationLease,
        items: &[OperationItem],
    ) -> Result<Performed, StoreError> {
        perform::run(self, lease, items).await
    }

    async fn perform_reparse(
        &self,
        lease: &OperationLease,
        messages: &[Decoded],
        gone: &[InboxId],
    ) -> Result<Performed, StoreError> {
        reparse::run(self, lease, messages, gone).await
    }

    async fn perform_replay(
        &self,
        lease: &OperationLease,
        again: &[(InboxId, NewMessage)],
        left: &[(InboxId, &'static str)],
    ) -> Result<Performed, StoreError> {
        replay::run(self, lease, again, left).await
    }

    async fn change_operation(
        &self,
        id: OperationId,
        change: OperationChange,
        entry: &AuditEntry,
    ) -> Result<Option<Operation>, StoreError> {
        let mut session = self.hot().await?;
        let changed = lease::change(&mut session, id, change, entry).await;
        session.finish(changed).await
    }

    async fn operation(&self, id: OperationId) -> Result<Option<Operation>, StoreError> {
        let find = sql::operation_find().with(params![id.0]);
        let found = self.report().await?.run(vec![find]).await?;
        rows::first(&found[0])
    }

    async fn operations(&self, page: Page) -> Result<Listing<Operation>, StoreError> {
        let search = Search::begin(self, OPERATIONS, page, (None, None)).await?;
        let mark = |it: &Operation| Mark { id: it.id.0, at: it.created_at };
        search.list(sql::operation_list(), Vec::new(), rows::operation, mark).await
    }

    async fn operation_results(
        &self,
        id: OperationId,
    ) -> Result<BTreeMap<String, u64>, StoreError> {
        let counts = sql::operation_results().with(params![id.0]);
        let found = self.report().await?.run(vec![counts]).await?.remove(0);
        Ok(found.iter().map(|row| (row.get(0), count(row, 1))).collect())
    }

    async fn operation_items(
        &self,
        id: OperationId,
        result: Option<&str>,
        behind: Option<i64>,
        limit: u32,
    ) -> Result<Vec<OperationItem>, StoreError> {
        let (behind, limit) = (behind.unwrap_or(i64::MIN), i64::from(limit));
        let list = match result {
            None => sql::operation_items().with(params![id.0, behind, limit]),
            Some(result) => {
                sql::operation_items_of().with(params![id.0, behind, limit, result.to_owned()])
            }
        };
        let found = self.report().await?.run(vec![list]).await?.remove(0);
        Ok(found.iter().map(rows::item).collect())
    }

    async fn forget_operation_items(
        &self,
        before: Timestamp,
        limit: u32,
    ) -> Result<u64, StoreError> {
        let forget = sql::operation_forget().with(params![PgTime(before), i64::from(limit)]);
        let gone = self.report().await?.run(vec![forget]).await?;
        Ok(count(&gone[0][0], 0))
    }
}
