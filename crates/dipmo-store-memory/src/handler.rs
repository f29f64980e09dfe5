//! Transactional handlers: code of a user that reads and writes domain rows with its message.

use std::collections::HashMap;

use dipmo_api::table::DomainTable;
use dipmo_api::{DomainWrite, FactRow};
use dipmo_domain::{InboxId, StoreError};
use dipmo_inbox::Message;
use dipmo_store::{HandlerCall, HandlerOutcome};

use crate::MemoryStore;
use crate::database::Database;
use crate::domain::{read_rows, write};

/// A handler that is registered with [`MemoryStore::with_handler`].
pub trait MemoryHandler: Send + Sync {
    /// Handles one message. What it wrote stays only if it answers [`HandlerOutcome::Done`].
    fn handle(&self, message: &Message, tx: &mut MemoryTx) -> HandlerOutcome;
}

/// The transaction of a batch, as a handler sees it.
pub struct MemoryTx {
    database: Database,
    writes: Vec<DomainWrite>,
}

impl MemoryTx {
    /// All rows of a domain table, in the order of its key, with what this handler wrote.
    ///
    /// # Errors
    /// When the table was not installed.
    pub fn rows(&self, table: &DomainTable) -> Result<Vec<FactRow>, StoreError> {
        read_rows(&self.database, table)
    }

    /// Writes or deletes one row.
    ///
    /// # Errors
    /// When the table was not installed, or the row breaks its constraints; nothing was written
    /// then.
    pub fn write(&mut self, row: DomainWrite) -> Result<(), StoreError> {
        write(&mut self.database, &row)?;
        self.writes.push(row);
        Ok(())
    }
}

impl MemoryStore {
    /// Calls handlers one after the other, each under a savepoint; answers what stays.
    pub(crate) fn call_handlers(
        &self,
        database: &mut Database,
        calls: &[HandlerCall],
    ) -> Result<(HashMap<InboxId, HandlerOutcome>, Vec<DomainWrite>), StoreError> {
        let (mut outcomes, mut writes) = (HashMap::new(), Vec::new());
        for call in calls {
            let handler = self.handler(&call.handler).ok_or_else(|| unexpected(call, "handler"))?;
            let message = database.inbox.log.get(&call.message).cloned();
            let message = message.ok_or_else(|| unexpected(call, "message"))?;
            let mut tx = MemoryTx { database: database.clone(), writes: Vec::new() };
            let outcome = handler.handle(&message, &mut tx);
            if matches!(outcome, HandlerOutcome::Done(_)) {
                *database = tx.database;
                writes.extend(tx.writes);
            }
            outcomes.insert(call.message, outcome);
        }
        Ok((outcomes, writes))
    }
}

fn unexpected(call: &HandlerCall, what: &str) -> StoreError {
    let HandlerCall { message, handler } = call;
    StoreError::Unexpected {
        statement: "call_handlers",
        problem: format!("handler {handler:?} for message {message}: there is no such {what}"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dipmo_api::table::{Column, ColumnKind};
    use dipmo_domain::{Failure, Timestamp, Value};
    use dipmo_store::{Inspect as _, Needs, Store as _, Tables};

    use super::*;
    use crate::testing::{DONE, all, ended, run, store_events};

    /// Writes a row under the number of its message, and fails for even ones.
    struct Writer(Arc<DomainTable>);

    impl MemoryHandler for Writer {
        fn handle(&self, message: &Message, tx: &mut MemoryTx) -> HandlerOutcome {
            let rows = i64::try_from(tx.rows(&self.0).unwrap().len()).unwrap();
            let row = DomainWrite::upsert(Arc::clone(&self.0));
            tx.write(row.set("ID", message.offset).set("SEEN", rows)).unwrap();
            match message.offset % 2 {
                0 => HandlerOutcome::Retry(Failure::new("even", "")),
                _ => HandlerOutcome::Done(Vec::new()),
            }
        }
    }

    fn table() -> Arc<DomainTable> {
        DomainTable {
            name: "HANDLED",
            columns: vec![
                Column::new("ID", ColumnKind::Integer).required(),
                Column::new("SEEN", ColumnKind::Integer),
            ],
            key: vec!["ID"],
            version: None,
        }
        .checked()
        .unwrap()
    }

    #[test]
    fn what_a_handler_wrote_stays_only_if_it_is_done() {
        let store =
            MemoryStore::new(Timestamp::EPOCH).with_handler("writer", Arc::new(Writer(table())));
        let tables = Tables { domain: vec![table()], ..Tables::default() };
        ended(store.migrate(&tables)).unwrap();
        store_events(&store, "F-1", &[1, 2, 3]);
        let call = |id| HandlerCall { message: InboxId(id), handler: "writer".to_owned() };
        let needs = Needs { handlers: (1..=3).map(call).collect(), ..Needs::default() };
        run(&store, needs, |batch, found| {
            assert!(matches!(found.handled[&InboxId(2)], HandlerOutcome::Retry(_)));
            all(batch, &DONE)
        })
        .unwrap();
        let rows = ended(store.domain_rows(&table())).unwrap();
        let seen: Vec<_> = rows.iter().map(|row| (&row["ID"], &row["SEEN"])).collect();
        let number = Value::Integer;
        assert_eq!(seen, [(&number(1), &number(0)), (&number(3), &number(1))]);
    }

    #[test]
    fn an_unknown_handler_fails_the_batch() {
        let store = crate::testing::migrated();
        store_events(&store, "F-1", &[1]);
        let call = HandlerCall { message: InboxId(1), handler: "nobody".to_owned() };
        let needs = Needs { handlers: vec![call], ..Needs::default() };
        let failed = run(&store, needs, |batch, _| all(batch, &DONE));
        assert!(matches!(failed, Err(StoreError::Unexpected { .. })), "{failed:?}");
    }
}
