//! The port of operations.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{InboxId, StoreError, Timestamp};
use dipmo_inbox::NewMessage;
use dipmo_store::admin::{
    Act, Actions, AuditEntry, Begun, Listing, MOST_IN_OPERATION, NewOperation, Operation,
    OperationChange, OperationId, OperationItem, OperationLease, Page, Performed, Preview, Target,
};
use dipmo_store::{Decoded, check_count};

use crate::history::as_count;
use crate::tx::Tx;
use crate::work::as_usize;
use crate::{SqliteStore, operation_items, operations, perform, sql};

#[async_trait]
impl Actions for SqliteStore {
    async fn preview(&self, act: Act, target: &Target) -> Result<Preview, StoreError> {
        let target = target.clone();
        let items = self.read(move |tx| operation_items::find(tx, act, &target)).await?;
        Ok(operation_items::preview(&items))
    }

    async fn begin_operation(&self, new: &NewOperation) -> Result<Begun, StoreError> {
        let new = new.clone();
        self.write(move |tx| begin(tx, &new)).await
    }

    async fn take_operation(
        &self,
        id: Option<OperationId>,
        owner: &str,
        duration: Duration,
    ) -> Result<Option<OperationLease>, StoreError> {
        let owner = owner.to_owned();
        self.write(move |tx| operations::take(tx, id, &owner, duration)).await
    }

    async fn renew_operation(
        &self,
        lease: &OperationLease,
        duration: Duration,
    ) -> Result<Operation, StoreError> {
        let lease = lease.clone();
        self.write(move |tx| operations::renew(tx, &lease, duration)).await
    }

    async fn give_back_operation(&self, lease: &OperationLease) -> Result<(), StoreError> {
        let lease = lease.clone();
        self.write(move |tx| operations::give_back(tx, &lease)).await
    }

    async fn next_items(
        &self,
        lease: &OperationLease,
        limit: u32,
    ) -> Result<Vec<OperationItem>, StoreError> {
        let params = (lease.operation.id.0, limit);
        self.read(move |tx| tx.all(&sql::operation_item_next(), params, operation_items::item))
            .await
    }

    async fn perform(
        &self,
        lease: &OperationLease,
        items: &[OperationItem],
    ) -> Result<Performed, StoreError> {
        check_count(items)?;
        let ids: Vec<i64> = items.iter().map(|item| item.id).collect();
        let lease = lease.clone();
        self.write(move |tx| perform::act(tx, &lease, &ids)).await
    }

    async fn perform_reparse(
        &self,
        lease: &OperationLease,
        messages: &[Decoded],
        gone: &[InboxId],
    ) -> Result<Performed, StoreError> {
        check_count(messages)?;
        check_count(gone)?;
        let (lease, messages, gone) = (lease.clone(), messages.to_vec(), gone.to_vec());
        self.write(move |tx| perform::reparse(tx, &lease, messages, &gone)).await
    }

    async fn perform_replay(
        &self,
        lease: &OperationLease,
        again: &[(InboxId, NewMessage)],
        left: &[(InboxId, &'static str)],
    ) -> Result<Performed, StoreError> {
        check_count(again)?;
        check_count(left)?;
        let (lease, again, left) = (lease.clone(), again.to_vec(), left.to_vec());
        self.write(move |tx| perform::replay(tx, &lease, &again, &left)).await
    }

    async fn change_operation(
        &self,
        id: OperationId,
        change: OperationChange,
        entry: &AuditEntry,
    ) -> Result<Option<Operation>, StoreError> {
        let entry = entry.clone();
        self.write(move |tx| operations::change(tx, id, change, &entry)).await
    }

    async fn operation(&self, id: OperationId) -> Result<Option<Operation>, StoreError> {
        self.read(move |tx| Ok(operations::find(tx, id)?.map(|found| found.operation))).await
    }

    async fn operations(&self, page: Page) -> Result<Listing<Operation>, StoreError> {
        self.read(move |tx| operations::list(tx, page)).await
    }

    async fn operation_results(
        &self,
        id: OperationId,
    ) -> Result<BTreeMap<String, u64>, StoreError> {
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let results = move |tx: &Tx<'_>| tx.all(&sql::operation_item_results(), [id.0], read);
        Ok(self.read(results).await?.into_iter().collect())
    }

    async fn operation_items(
        &self,
        id: OperationId,
        result: Option<&str>,
        behind: Option<i64>,
        limit: u32,
    ) -> Result<Vec<OperationItem>, StoreError> {
        let params = (id.0, result.map(str::to_owned), behind.unwrap_or(i64::MIN), limit);
        self.read(move |tx| tx.all(&sql::operation_item_list(), params, operation_items::item))
            .await
    }

    async fn forget_operation_items(
        &self,
        before: Timestamp,
        limit: u32,
    ) -> Result<u64, StoreError> {
        let params = (before.as_micros(), limit);
        let forget = move |tx: &mut Tx<'_>| tx.run(&sql::operation_item_forget(), params);
        Ok(as_count(self.write(forget).await?))
    }
}

fn begin(tx: &Tx<'_>, new: &NewOperation) -> Result<Begun, StoreError> {
    let items = operation_items::find(tx, new.act, &new.target)?;
    if items.len() > as_usize(MOST_IN_OPERATION) {
        return Ok(Begun::TooMany);
    }
    let operation = operations::insert(tx, new, items.len())?;
    operation_items::insert(tx, operation.id, items)?;
    Ok(Begun::Running(operation))
}
