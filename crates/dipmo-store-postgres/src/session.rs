//! A connection on loan.
//!
//! A session that is dropped inside a transaction closes its connection: the database undoes what
//! it did, and nobody gets a connection with a past.

use deadpool_postgres::{Object, Pool, PoolError, TimeoutType};
use dipmo_domain::StoreError;
use tokio_postgres::{Client, Row};

use crate::copy_in::OpenCopy;
use crate::error;
use crate::options::Place;
use crate::sql::{self, Call, Sql};

pub(crate) struct Session {
    object: Option<Object>,
    place: Place,
    in_transaction: bool,
}

impl Session {
    /// Takes a connection from the pool.
    pub(crate) async fn open(pool: &Pool, place: &Place) -> Result<Self, StoreError> {
        let object = pool.get().await.map_err(|failed| match failed {
            PoolError::Backend(failed) => error::of_connect(place, &failed),
            PoolError::Timeout(TimeoutType::Create | TimeoutType::Recycle) => {
                let problem = "no connection could be made in time".to_owned();
                StoreError::Unreachable { place: place.to_string(), problem }
            }
            other => StoreError::Busy { statement: "connect", problem: other.to_string() },
        })?;
        Ok(Self { object: Some(object), place: place.clone(), in_transaction: false })
    }

    /// Runs calls in order, in one round trip once they are prepared. The transaction that the
    /// first `begin` opens is rolled back when one of them fails.
    pub(crate) async fn run(&mut self, calls: Vec<Call>) -> Result<Vec<Vec<Row>>, StoreError> {
        let closes =
            calls.last().is_some_and(|call| matches!(call.sql.name, "commit" | "rollback"));
        let copies = calls.iter().any(Call::copies);
        self.in_transaction |= opens(&calls);
        let ran = self.send(calls).await;
        self.in_transaction &= ran.is_err() || !closes;
        self.unless_failed(ran, copies).await
    }

    /// Runs calls as [`Session::run`], and opens a COPY behind them in the same round trip. Its rows
    /// must be the next that is sent.
    pub(crate) async fn run_and_open(
        &mut self,
        calls: Vec<Call>,
        copy: Sql,
    ) -> Result<(Vec<Vec<Row>>, OpenCopy), StoreError> {
        self.in_transaction |= opens(&calls);
        let ran = self.send_and_open(calls, copy).await;
        self.unless_failed(ran, true).await
    }

    /// Rolls back after an error. When there was a COPY, the connection is given up instead: one
    /// that could not even begin leaves an answer too many behind, which the driver would take for
    /// that of the next statement.
    pub(crate) async fn unless_failed<T>(
        &mut self,
        ran: Result<T, StoreError>,
        copies: bool,
    ) -> Result<T, StoreError> {
        match (&ran, copies) {
            (Ok(_), _) => {}
            (Err(_), true) => self.give_up(),
            (Err(_), false) => self.roll_back().await,
        }
        ran
    }

    /// The connection itself, for a handler's own statements.
    pub(crate) fn client(&self) -> Result<&Client, StoreError> {
        self.object().map(|object| &***object)
    }

    pub(crate) fn object(&self) -> Result<&Object, StoreError> {
        self.object.as_ref().ok_or_else(|| StoreError::Unreachable {
            place: self.place.to_string(),
            problem: "the connection was given up".to_owned(),
        })
    }

    /// An error of a statement on this connection.
    pub(crate) fn error(
        &self,
        statement: &'static str,
        failed: &tokio_postgres::Error,
    ) -> StoreError {
        error::of_statement(statement, &self.place, failed)
    }

    /// The same, by who wrote the statement.
    pub(crate) fn error_of(&self, sql: &Sql, failed: &tokio_postgres::Error) -> StoreError {
        match &sql.of_user {
            None => self.error(sql.name, failed),
            Some(title) => error::of_user_sql(title, self.error(sql.name, failed), failed),
        }
    }

    /// Passes a result on; an error that was found between statements is rolled back now, so that
    /// locks do not wait for the connection to close.
    pub(crate) async fn finish<T>(
        mut self,
        result: Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if result.is_err() {
            self.roll_back().await;
        }
        result
    }

    /// Closes the connection; the pool makes another one.
    fn give_up(&mut self) {
        if let Some(object) = self.object.take() {
            drop(Object::take(object));
        }
        self.in_transaction = false;
    }

    async fn roll_back(&mut self) {
        if self.in_transaction
            && let Ok(client) = self.client()
            && client.batch_execute(&sql::rollback().text).await.is_ok()
        {
            self.in_transaction = false;
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.in_transaction {
            self.give_up();
        }
    }
}

/// Whether these calls begin a transaction.
fn opens(calls: &[Call]) -> bool {
    calls.first().is_some_and(|call| matches!(call.sql.name, "begin" | "begin_read"))
}
