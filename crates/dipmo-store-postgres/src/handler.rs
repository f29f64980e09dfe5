//! Transactional handlers: SQL of one's own, in the transaction of the message.

use std::collections::HashMap;

use async_trait::async_trait;
use dipmo_domain::{Code, Failure, StoreError};
use dipmo_inbox::Message;
use dipmo_store::{ClaimedMessage, Found, HandlerOutcome};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row};

use crate::session::Session;
use crate::store::PostgresStore;
use crate::wave::Reads;

/// A handler that runs unbatched, for what a pure process cannot do.
///
/// It runs in the transaction that settles its message, under a savepoint: what it writes is
/// committed with the message or not at all. It holds the lane of the message while it runs, so it
/// must not wait for anything outside the database.
#[async_trait]
pub trait PostgresHandler: Send + Sync {
    /// Handles one message.
    async fn handle(
        &self,
        message: &Message,
        transaction: &HandlerTransaction<'_>,
    ) -> HandlerOutcome;
}

/// The transaction of a message, as its handler sees it: it cannot be ended from here.
pub struct HandlerTransaction<'a> {
    client: &'a Client,
}

impl HandlerTransaction<'_> {
    /// Runs a statement that answers rows.
    ///
    /// # Errors
    /// As the database says; the handler then decides between retry and reject.
    pub async fn query(
        &self,
        sql: &str,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Error> {
        self.client.query(sql, params).await
    }

    /// Runs a statement that changes rows, and answers how many.
    ///
    /// # Errors
    /// As [`HandlerTransaction::query`].
    pub async fn execute(&self, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<u64, Error> {
        self.refuse_to_end(sql).await?;
        self.client.execute(sql, params).await
    }

    /// A commit here would commit the claim without its settlement: the message would be lost. The
    /// protocol takes one statement at a time, so its first word tells.
    async fn refuse_to_end(&self, sql: &str) -> Result<(), Error> {
        let word = first_word(sql);
        if !FORBIDDEN.contains(&word.as_str()) {
            return Ok(());
        }
        let refuse = "select dipmo_assert(false, 'handler', $1)";
        self.client.execute(refuse, &[&format!("a handler must not run {word}")]).await.map(|_| ())
    }
}

/// Words that begin a statement which ends the transaction, or outlives it.
const FORBIDDEN: &[&str] = &[
    "abort",
    "begin",
    "commit",
    "deallocate",
    "discard",
    "end",
    "prepare",
    "release",
    "reset",
    "rollback",
    "savepoint",
    "set",
    "start",
];

/// The first word of a statement, after comments, in lower case.
fn first_word(sql: &str) -> String {
    let mut rest = sql.trim_start();
    loop {
        let after = if let Some(line) = rest.strip_prefix("--") {
            line.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(block) = rest.strip_prefix("/*") {
            block.split_once("*/").map_or("", |(_, after)| after)
        } else {
            break;
        };
        rest = after.trim_start();
    }
    let word = rest.chars().take_while(char::is_ascii_alphabetic);
    word.map(|c| c.to_ascii_lowercase()).collect()
}

/// Calls the handlers that a wave asked for, one after the other.
pub(crate) async fn run_all(
    store: &PostgresStore,
    session: &Session,
    messages: &[ClaimedMessage],
    reads: Reads,
    mut found: Found,
) -> Result<Found, StoreError> {
    let by_id: HashMap<_, _> =
        messages.iter().map(|claimed| (claimed.message.id, claimed)).collect();
    for call in reads.handlers {
        let outcome = match (by_id.get(&call.message), store.handler(&call.handler)) {
            (Some(claimed), Some(handler)) => {
                run(session, handler.as_ref(), &claimed.message).await?
            }
            (_, None) => reject(&format!("no handler is registered as {:?}", call.handler)),
            (None, _) => reject(&format!("message {} is not in this batch", call.message)),
        };
        found.handled.insert(call.message, outcome);
    }
    Ok(found)
}

async fn run(
    session: &Session,
    handler: &dyn PostgresHandler,
    message: &Message,
) -> Result<HandlerOutcome, StoreError> {
    let client = session.client()?;
    let failed = |error: Error| session.error("handler_savepoint", &error);
    client.batch_execute("savepoint handler").await.map_err(failed)?;
    let outcome = handler.handle(message, &HandlerTransaction { client }).await;
    let end = match outcome {
        HandlerOutcome::Done(_) => "release savepoint handler",
        HandlerOutcome::Retry(_) | HandlerOutcome::Reject(_) => {
            "rollback to savepoint handler; release savepoint handler"
        }
    };
    match (client.batch_execute(end).await, outcome) {
        (Ok(()), outcome) => Ok(outcome),
        // It said that it is done although one of its statements failed.
        (Err(error), HandlerOutcome::Done(_)) if !client.is_closed() => {
            let undo = "rollback to savepoint handler; release savepoint handler";
            client.batch_execute(undo).await.map_err(failed)?;
            Ok(reject(&format!("the handler left a failed transaction behind: {error}")))
        }
        (Err(error), _) => Err(failed(error)),
    }
}

fn reject(problem: &str) -> HandlerOutcome {
    HandlerOutcome::Reject(Failure::coded(Code::new("handler-failed"), problem))
}

#[cfg(test)]
mod tests {
    use super::first_word;

    #[test]
    fn comments_do_not_hide_a_word() {
        for sql in
            ["commit", " COMMIT ", "-- x\n commit", "/* x */ /* y */Commit and chain", "commit;"]
        {
            assert_eq!(first_word(sql), "commit", "{sql:?}");
        }
        assert_eq!(first_word("insert into commit values (1)"), "insert");
    }
}
