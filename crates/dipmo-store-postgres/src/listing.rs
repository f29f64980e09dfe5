//! One page of a list: where it begins, where it ends, and what follows.
//!
//! Ids grow with time, so a list goes down the ids. A page looks through so many rows and not further; of
//! those, the ones that fit its filter are shown. All of it is read in one transaction, of one moment, with
//! plans that go by index.
//!
//! **Invariants:** a page reads a bounded number of rows, whatever the history; what it did not look through
//! is left to the next one, so that no row is skipped or shown twice.

use std::time::Duration;

use dipmo_domain::{StoreError, Timestamp};
use dipmo_store::admin::{Listing, Page};
use tokio_postgres::Row;

use crate::session::Session;
use crate::sql::{self, Call, Param, Sql, params};
use crate::store::PostgresStore;
use crate::types::PgTime;

/// So many rows a page looks through in a table that is small, or read by its key.
pub(crate) const MOST: i64 = 20_000;

/// How much later than its time something gets its id at most: a transaction has its time from its
/// beginning, and its ids when it needs them.
const SLACK: Duration = Duration::from_secs(120);

/// A table, or tables in one, with ids that grow with time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Log {
    name: &'static str,
    at: &'static str,
}

/// The messages.
pub(crate) const MESSAGES: Log = Log { name: "inbox_log", at: "received_at" };
/// The intents and their records, which have ids of one sequence.
pub(crate) const UNITS: Log = Log {
    name: "(select id, created_at from outbox_log \
            union all select id, created_at from outbox_record_log)",
    at: "created_at",
};
/// The entries of the audit.
pub(crate) const AUDIT: Log = Log { name: "dipmo_audit", at: "at" };
/// Operations.
pub(crate) const OPERATIONS: Log = Log { name: "dipmo_operation", at: "created_at" };

impl Log {
    /// The rows of a range, as [`Search::end_at`] takes them.
    pub(crate) fn rows(self) -> Sql {
        self.named(sql::log_rows())
    }

    fn begin(self, until: Timestamp) -> Call {
        self.named(sql::list_begin()).with(params![PgTime(until.after(SLACK))])
    }

    fn named(self, sql: Sql) -> Sql {
        sql.fill("{log}", self.name).fill("{at}", self.at)
    }
}

/// A row, and when it came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) id: i64,
    pub(crate) at: Timestamp,
}

/// A page to be.
pub(crate) struct Search {
    session: Session,
    page: Page,
    since: Option<Timestamp>,
    from: i64,
    before: i64,
    end: Option<Mark>,
}

impl Search {
    /// Opens the transaction, and finds out where to begin.
    pub(crate) async fn begin(
        store: &PostgresStore,
        log: Log,
        page: Page,
        (since, until): (Option<Timestamp>, Option<Timestamp>),
    ) -> Result<Self, StoreError> {
        let mut session = store.report().await?;
        let mut calls = vec![sql::begin_read().call(), sql::browse_settings().call()];
        calls.extend(until.map(|until| log.begin(until)));
        let answers = session.run(calls).await?;
        let later = answers.get(2).and_then(|rows| rows.first()).map(|row| row.get::<_, i64>(0));
        let before = [page.before, later].into_iter().flatten().min().unwrap_or(i64::MAX);
        Ok(Self { session, page, since, from: i64::MIN, before, end: None })
    }

    /// Asks something else, in the same transaction.
    pub(crate) async fn ask(&mut self, call: Call) -> Result<Vec<Row>, StoreError> {
        Ok(self.session.run(vec![call]).await?.remove(0))
    }

    /// Looks at one id only.
    pub(crate) fn only(&mut self, id: i64) {
        self.from = id;
        self.before = self.before.min(id.saturating_add(1));
    }

    /// Finds out where the page ends. Without this, all is looked through.
    ///
    /// The statement gets the range of ids that the page may have, `before` first, how many rows to look
    /// through, and what else is given.
    pub(crate) async fn end_at(
        &mut self,
        end: Sql,
        most: i64,
        more: Vec<Param>,
    ) -> Result<(), StoreError> {
        let mut params = params![self.before, self.from, most];
        params.extend(more);
        let rows = self.ask(end.with(params)).await?;
        self.end = rows.first().map(|row| Mark { id: row.get(0), at: row.get::<_, PgTime>(1).0 });
        self.from = self.end.map_or(self.from, |end| end.id);
        Ok(())
    }

    /// Reads the page, and closes the transaction. The statement gets the range of ids that is left, how many
    /// rows to answer, and what else is given.
    pub(crate) async fn list<T>(
        mut self,
        list: Sql,
        more: Vec<Param>,
        read: impl Fn(&Row) -> Result<T, StoreError>,
        mark: impl Fn(&T) -> Mark,
    ) -> Result<Listing<T>, StoreError> {
        let wanted = self.page.rows();
        // One more than is wanted says whether something follows.
        let mut params = params![self.before, self.from, i64::from(wanted) + 1];
        params.extend(more);
        let found =
            self.session.run(vec![list.with(params), sql::commit().call()]).await?.remove(0);
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        let rows: Vec<T> = found.iter().take(wanted).map(read).collect::<Result<_, _>>()?;
        let next = if found.len() > wanted {
            rows.last().map(mark)
        } else {
            self.end.filter(|end| !self.is_past(*end))
        };
        Ok(Listing { rows, next: next.map(|it| it.id), searched_to: next.map(|it| it.at) })
    }

    /// Whether nothing below a row is of the time that is asked for.
    fn is_past(&self, row: Mark) -> bool {
        self.since.is_some_and(|since| row.at.after(SLACK) < since)
    }
}

/// A page of a list that can have nothing.
pub(crate) const fn nothing<T>() -> Listing<T> {
    Listing { rows: Vec::new(), next: None, searched_to: None }
}

/// Whether something is asked for that no column has: PostgreSQL keeps no NUL in a text, and takes none.
pub(crate) fn has_nul<'a>(texts: impl IntoIterator<Item = &'a Option<String>>) -> bool {
    texts.into_iter().flatten().any(|text| text.contains('\0'))
}
