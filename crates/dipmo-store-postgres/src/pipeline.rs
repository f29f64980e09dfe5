//! Statements are sent one after the other without waiting for answers, so that a call costs a
//! fixed number of round trips.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use deadpool_postgres::{ClientWrapper, HookError, Object};
use dipmo_domain::StoreError;
use futures_util::future::{join_all, try_join_all};
use tokio::time::timeout;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Statement};

use crate::copy_in::{self, OpenCopy};
use crate::session::Session;
use crate::sql::{self, Call, Input, Sql};

impl Session {
    /// Sends calls and awaits their answers.
    pub(crate) async fn send(&self, mut calls: Vec<Call>) -> Result<Vec<Vec<Row>>, StoreError> {
        let Some(open) = calls.first_mut().and_then(Call::take_open) else {
            return self.send_all(calls).await;
        };
        let (name, (open, rows)) = (calls.remove(0).sql.name, open);
        // An open COPY takes nothing but rows: what must be prepared is prepared behind it.
        let copy = open.finish(rows);
        let (copied, answers) = futures_util::join!(copy, self.send_all(calls));
        copied.map_err(|failed| self.error(name, &failed))?;
        answers.map(|answers| std::iter::once(Vec::new()).chain(answers).collect())
    }

    async fn send_all(&self, calls: Vec<Call>) -> Result<Vec<Vec<Row>>, StoreError> {
        let prepared = self.prepare_all(calls).await?;
        self.ask(prepared).await
    }

    /// Sends calls and the beginning of a COPY.
    pub(crate) async fn send_and_open(
        &self,
        calls: Vec<Call>,
        copy: Sql,
    ) -> Result<(Vec<Vec<Row>>, OpenCopy), StoreError> {
        let object = self.object()?;
        let (copy_statement, prepared) =
            futures_util::join!(self.prepare(object, &copy), self.prepare_all(calls));
        let (copy_statement, prepared) = (copy_statement?, prepared?);
        let open = async {
            let opened = copy_in::open(object, &copy_statement).await;
            opened.map_err(|failed| self.error(copy.name, &failed))
        };
        // Both are polled in this order, and so sent; the first error is the one that counts.
        let (answers, opened) = futures_util::join!(self.ask(prepared), open);
        Ok((answers?, opened?))
    }

    /// Awaited before anything is sent: a statement that is prepared in between would be overtaken
    /// by those after it. All are prepared at once: on a new connection none is known, and somebody
    /// waits for its first answer. Each text once: a statement of a user's own is called as often as
    /// messages run it.
    async fn prepare_all(&self, calls: Vec<Call>) -> Result<Vec<(Statement, Call)>, StoreError> {
        let object = self.object()?;
        let mut texts: Vec<&Sql> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let places: Vec<usize> = calls
            .iter()
            .map(|call| {
                *known.entry(&call.sql.text).or_insert_with(|| {
                    texts.push(&call.sql);
                    texts.len() - 1
                })
            })
            .collect();
        let statements = try_join_all(texts.iter().map(|sql| self.prepare(object, sql))).await?;
        let statements = places.into_iter().map(|at| statements[at].clone());
        Ok(statements.zip(calls).collect())
    }

    async fn prepare(&self, object: &Object, sql: &Sql) -> Result<Statement, StoreError> {
        let statement = object.prepare_cached(&sql.text).await;
        statement.map_err(|failed| self.error_of(sql, &failed))
    }

    async fn ask(&self, prepared: Vec<(Statement, Call)>) -> Result<Vec<Vec<Row>>, StoreError> {
        let object = self.object()?;
        let running = prepared.into_iter().map(|(statement, call)| async move {
            let answer = answer(object, statement, call.input).await;
            answer.map_err(|failed| self.error_of(&call.sql, &failed))
        });
        in_order(running.collect()).await
    }
}

/// Prepares what nearly every message needs on a new connection, in one round trip, so that no
/// message waits for it. What cannot be prepared at once, because somebody has locked a table, is
/// left to who needs it: others must not wait for that.
///
/// # Errors
/// When the database does not answer: what was sent would still stand before the first statement of
/// whoever gets this connection.
pub(crate) async fn prepare_common(
    client: &ClientWrapper,
    patience: Duration,
) -> Result<(), HookError> {
    let common = sql::common();
    let preparing = common.iter().map(|sql| client.prepare_cached(&sql.text));
    let all = async {
        futures_util::join!(
            client.batch_execute("set lock_timeout = '20ms'"),
            join_all(preparing),
            client.batch_execute("reset lock_timeout"),
        )
    };
    let (_, _, reset) = timeout(patience, all)
        .await
        .map_err(|_| HookError::message("statements could not be prepared in time"))?;
    reset.map_err(HookError::Backend)
}

/// What a call answers; a COPY answers nothing.
async fn answer(
    object: &Object,
    statement: Statement,
    input: Input,
) -> Result<Vec<Row>, tokio_postgres::Error> {
    match input {
        Input::Params(params) => {
            let params: Vec<&(dyn ToSql + Sync)> =
                params.iter().map(|param| &**param as &(dyn ToSql + Sync)).collect();
            object.query(&statement, &params).await
        }
        Input::Rest(open) => match open {
            Some((open, rows)) => open.finish(rows).await.map(|()| Vec::new()),
            None => Ok(Vec::new()),
        },
    }
}

/// Gives way once, so that what was asked before is sent: the driver's own task may be waiting for
/// this very thread.
pub(crate) async fn let_it_leave() {
    let mut gave_way = false;
    poll_fn(|context| {
        if std::mem::replace(&mut gave_way, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Awaits all, polling them in their order: the driver sends a statement when it is first polled.
/// One that fails before it is sent keeps those after it from being sent, a COMMIT among them.
/// Answers the first error in that order, which is the one that made the others fail, even when
/// a later one is seen before it; and not before the others have failed too, because the database
/// reports an error before it frees the locks of its transaction.
async fn in_order<T, F>(futures: Vec<F>) -> Result<Vec<T>, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let mut running: Vec<Pin<Box<F>>> = futures.into_iter().map(Box::pin).collect();
    let mut answers: Vec<Option<Result<T, StoreError>>> = running.iter().map(|_| None).collect();
    let mut first_poll = true;
    poll_fn(|context| {
        for at in 0..running.len() {
            if answers[at].is_none()
                && let Poll::Ready(result) = running[at].as_mut().poll(context)
            {
                let unsent = first_poll && result.is_err();
                answers[at] = Some(result);
                if unsent {
                    running.truncate(at + 1);
                    answers.truncate(at + 1);
                    break;
                }
            }
        }
        first_poll = false;
        if answers.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    answers.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::task::{Context, Waker};

    use super::*;

    /// Fails at once, or answers at the second poll.
    async fn statement(sent: &Cell<u32>, fails: bool) -> Result<(), StoreError> {
        sent.set(sent.get() + 1);
        if fails {
            let problem = "cannot be encoded".to_owned();
            return Err(StoreError::Unexpected { statement: "test", problem });
        }
        let_it_leave().await;
        Ok(())
    }

    #[test]
    fn nothing_is_sent_behind_a_statement_that_could_not_be_sent() {
        let sent = Cell::new(0);
        let all = [false, true, false].map(|fails| statement(&sent, fails));
        let mut running = Box::pin(in_order(all.into_iter().collect()));
        let mut context = Context::from_waker(Waker::noop());
        assert!(running.as_mut().poll(&mut context).is_pending(), "the first one is awaited");
        let Poll::Ready(answer) = running.as_mut().poll(&mut context) else { panic!() };
        assert!(answer.is_err());
        assert_eq!(sent.get(), 2, "the third is not sent");
    }
}
