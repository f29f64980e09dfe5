//! Handlers that run SQL of their own in the transaction of their message.

use std::collections::HashMap;
use std::sync::Arc;

use dipmo_domain::{Code, Failure, StoreError};
use dipmo_inbox::Message;
use dipmo_store::{HandlerCall, HandlerOutcome};
use rusqlite::Savepoint;

use crate::error::failed;
use crate::tx::Tx;
use crate::{rows, sql};

/// A function that is given a message and the transaction that the message ends in.
///
/// What it writes is durable together with the message, or not at all: with
/// [`HandlerOutcome::Retry`] and [`HandlerOutcome::Reject`] its writes are undone, and its
/// neighbours in the batch go on. A panic undoes the whole batch. Nobody else can write while it
/// runs, so it must be quick. It cannot end the transaction: trying to fails the whole batch.
pub trait SqliteHandler: Send + Sync {
    /// Does the work of one message.
    fn handle(&self, message: &Message, tx: &Savepoint<'_>) -> HandlerOutcome;
}

impl<F> SqliteHandler for F
where
    F: Fn(&Message, &Savepoint<'_>) -> HandlerOutcome + Send + Sync,
{
    fn handle(&self, message: &Message, tx: &Savepoint<'_>) -> HandlerOutcome {
        self(message, tx)
    }
}

/// Runs one handler under a savepoint.
pub(crate) fn run(
    tx: &mut Tx<'_>,
    handlers: &HashMap<String, Arc<dyn SqliteHandler>>,
    call: &HandlerCall,
) -> Result<HandlerOutcome, StoreError> {
    let Some(handler) = handlers.get(&call.handler) else {
        return Ok(reject(&format!("no handler is registered as {:?}", call.handler)));
    };
    let Some(message) = tx.one(&sql::message_find(), [call.message.0], rows::message)? else {
        return Ok(reject(&format!("there is no message {}", call.message)));
    };
    let savepoint = tx.savepoint()?;
    let outcome = handler.handle(&message, &savepoint);
    let ended = match outcome {
        HandlerOutcome::Done(_) => savepoint.commit(),
        HandlerOutcome::Retry(_) | HandlerOutcome::Reject(_) => savepoint.finish(),
    };
    ended.map_err(|error| failed("savepoint", &error))?;
    Ok(outcome)
}

/// What a call gets that cannot be made.
pub(crate) fn reject(problem: &str) -> HandlerOutcome {
    HandlerOutcome::Reject(Failure::coded(Code::new("handler-failed"), problem))
}
