//! A connection on loan, and the pipeline over it.
//!
//! Statements are sent one after the other without waiting for answers, so that a call costs a
//! fixed number of round trips. A session that is dropped inside a transaction closes its
//! connection: the database undoes what it did, and nobody gets a connection with a past.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use deadpool_postgres::{Object, Pool, PoolError, TimeoutType};
use dipmo_domain::StoreError;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row};

use crate::error;
use crate::options::Place;
use crate::sql::{self, Call};

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
        let opens =
            calls.first().is_some_and(|call| matches!(call.sql.name, "begin" | "begin_read"));
        let closes =
            calls.last().is_some_and(|call| matches!(call.sql.name, "commit" | "rollback"));
        self.in_transaction |= opens;
        match self.send(calls).await {
            Ok(answers) => {
                self.in_transaction &= !closes;
                Ok(answers)
            }
            Err(failed) => {
                self.roll_back().await;
                Err(failed)
            }
        }
    }

    /// The connection itself, for a handler's own statements.
    pub(crate) fn client(&self) -> Result<&Client, StoreError> {
        self.object().map(|object| &***object)
    }

    fn object(&self) -> Result<&Object, StoreError> {
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

    async fn send(&self, calls: Vec<Call>) -> Result<Vec<Vec<Row>>, StoreError> {
        let object = self.object()?;
        let mut prepared = Vec::with_capacity(calls.len());
        for call in calls {
            // Awaited before anything is sent: a statement that is prepared in between would be
            // overtaken by those after it.
            let statement = object.prepare_cached(&call.sql.text).await;
            let statement = statement.map_err(|failed| self.error(call.sql.name, &failed))?;
            prepared.push((statement, call));
        }
        let mut running = Vec::with_capacity(prepared.len());
        for (statement, call) in &prepared {
            let name = call.sql.name;
            let params: Vec<&(dyn ToSql + Sync)> =
                call.params.iter().map(|param| &**param as &(dyn ToSql + Sync)).collect();
            running.push(async move {
                object.query(statement, &params).await.map_err(|failed| self.error(name, &failed))
            });
        }
        in_order(running).await
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
        if self.in_transaction
            && let Some(object) = self.object.take()
        {
            drop(Object::take(object));
        }
    }
}

/// Awaits all, polling them in their order: the driver sends a statement when it is first polled.
/// Answers the first error in that order, which is the one that made the others fail, even when
/// a later one is seen before it.
async fn in_order<T, F>(futures: Vec<F>) -> Result<Vec<T>, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let mut running: Vec<Pin<Box<F>>> = futures.into_iter().map(Box::pin).collect();
    let mut answers: Vec<Option<Result<T, StoreError>>> = running.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, answer) in running.iter_mut().zip(&mut answers) {
            if answer.is_none()
                && let Poll::Ready(result) = future.as_mut().poll(context)
            {
                *answer = Some(result);
            }
        }
        let first_open = answers.iter().position(|answer| !matches!(answer, Some(Ok(_))));
        match first_open.map(|at| &answers[at]) {
            Some(None) => Poll::Pending,
            _ => Poll::Ready(()),
        }
    })
    .await;
    answers.into_iter().flatten().collect()
}
