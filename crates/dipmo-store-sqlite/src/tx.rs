//! A transaction: statements by name, and one time for all of them.

use std::cell::Cell;
use std::ops::ControlFlow;

use dipmo_domain::{StoreError, Timestamp};
use dipmo_store::Side;
use rusqlite::{
    CachedStatement, Connection, Params, Row, Savepoint, Transaction, TransactionBehavior,
};

use crate::error::failed;
use crate::rows;
use crate::sql::{self, Sql};

thread_local! {
    /// True while [`Tx::commit`] commits.
    static COMMITTING: Cell<bool> = const { Cell::new(false) };
}

/// Lets nobody commit but [`Tx::commit`]: a handler that tried would make half of a batch durable,
/// and its messages would be gone. What it gets is a rollback, which loses nothing.
pub(crate) fn guard_commits(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.commit_hook(Some(|| !COMMITTING.get()))
}

/// Rolls back when it is dropped.
pub(crate) struct Tx<'c> {
    inner: Transaction<'c>,
    now: Timestamp,
    inbox_arrived: Cell<bool>,
    outbox_arrived: Cell<bool>,
}

impl<'c> Tx<'c> {
    /// Begins to write: from here on nobody else can, until this ends.
    pub(crate) fn write(connection: &'c mut Connection) -> Result<Self, StoreError> {
        Self::begin(connection, TransactionBehavior::Immediate)
    }

    /// Begins to read: all statements see the database as the first one finds it.
    pub(crate) fn read(connection: &'c mut Connection) -> Result<Self, StoreError> {
        Self::begin(connection, TransactionBehavior::Deferred)
    }

    fn begin(
        connection: &'c mut Connection,
        behaviour: TransactionBehavior,
    ) -> Result<Self, StoreError> {
        let inner = connection
            .transaction_with_behavior(behaviour)
            .map_err(|error| failed("begin", &error))?;
        let clock = sql::clock();
        let now = inner
            .prepare_cached(&clock.text)
            .and_then(|mut statement| statement.query_row([], |row| rows::time(row, 0)))
            .map_err(|error| failed(clock.name, &error))?;
        let (inbox_arrived, outbox_arrived) = Default::default();
        Ok(Self { inner, now, inbox_arrived, outbox_arrived })
    }

    /// The time of this transaction, by the database's clock.
    pub(crate) const fn now(&self) -> Timestamp {
        self.now
    }

    /// Notes that something became ready on a side: who waits there is woken after the commit.
    pub(crate) fn arrived(&self, side: Side) {
        match side {
            Side::Inbox => self.inbox_arrived.set(true),
            Side::Outbox => self.outbox_arrived.set(true),
        }
    }

    /// The sides on which something became ready.
    pub(crate) fn arrived_on(&self) -> [Option<Side>; 2] {
        let inbox = self.inbox_arrived.get().then_some(Side::Inbox);
        [inbox, self.outbox_arrived.get().then_some(Side::Outbox)]
    }

    /// Makes everything durable.
    pub(crate) fn commit(self) -> Result<(), StoreError> {
        COMMITTING.set(true);
        let committed = self.inner.commit();
        COMMITTING.set(false);
        committed.map_err(|error| failed("commit", &error))
    }

    /// A part that can be undone alone.
    pub(crate) fn savepoint(&mut self) -> Result<Savepoint<'_>, StoreError> {
        self.inner.savepoint().map_err(|error| failed("savepoint", &error))
    }

    /// Runs a statement; answers how many rows it changed.
    pub(crate) fn run(&self, sql: &Sql, params: impl Params) -> Result<usize, StoreError> {
        self.inner
            .prepare_cached(&sql.text)
            .and_then(|mut statement| statement.execute(params))
            .map_err(|error| failed(sql.name, &error))
    }

    /// A statement of a user's own, prepared.
    pub(crate) fn prepared(&self, text: &str) -> rusqlite::Result<CachedStatement<'_>> {
        self.inner.prepare_cached(text)
    }

    /// Runs several statements that have no parameters.
    pub(crate) fn run_script(&self, name: &'static str, text: &str) -> Result<(), StoreError> {
        self.inner.execute_batch(text).map_err(|error| failed(name, &error))
    }

    /// The first row, if there is one.
    pub(crate) fn one<T>(
        &self,
        sql: &Sql,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.inner
            .prepare_cached(&sql.text)
            .and_then(|mut statement| {
                let mut rows = statement.query(params)?;
                rows.next()?.map(read).transpose()
            })
            .map_err(|error| failed(sql.name, &error))
    }

    /// All rows.
    pub(crate) fn all<T>(
        &self,
        sql: &Sql,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.inner
            .prepare_cached(&sql.text)
            .and_then(|mut statement| statement.query_map(params, read)?.collect())
            .map_err(|error| failed(sql.name, &error))
    }

    /// Rows until `see` has enough.
    pub(crate) fn some(
        &self,
        sql: &Sql,
        params: impl Params,
        mut see: impl FnMut(&Row<'_>) -> rusqlite::Result<ControlFlow<()>>,
    ) -> Result<(), StoreError> {
        let walk = || {
            let mut statement = self.inner.prepare_cached(&sql.text)?;
            let mut rows = statement.query(params)?;
            while let Some(row) = rows.next()? {
                if see(row)?.is_break() {
                    break;
                }
            }
            Ok(())
        };
        walk().map_err(|error| failed(sql.name, &error))
    }

    /// Takes the next numbers of a counter; answers the first of them.
    pub(crate) fn take_numbers(&self, counter: &str, count: usize) -> Result<i64, StoreError> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let sql = sql::sequence_take();
        let last = self.one(&sql, (counter, count), |row| row.get::<_, i64>(0))?;
        let missing = || crate::error::unexpected(sql.name, format!("no counter {counter}"));
        Ok(last.ok_or_else(missing)? - count + 1)
    }
}
