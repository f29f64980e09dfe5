//! The escape hatch: a handler that runs SQL of its own, unbatched, in the transaction of its message.
//!
//! A handler is registered with a store, because it sees that store's own transaction: it is the
//! one place where code outside a store meets a driver. It runs under a savepoint: when it fails,
//! its writes are undone and its neighbours in the batch go on. The lane is locked while it runs.

use dipmo_domain::{Failure, InboxId};
use dipmo_outbox::NewIntent;

/// A message for a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerCall {
    /// One of the claimed messages.
    pub message: InboxId,
    /// The name under which the handler is registered with the store.
    pub handler: String,
}

/// What a handler answered, as a value for `decide`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandlerOutcome {
    /// Its writes are in the transaction; these intents are to go with them.
    Done(Vec<NewIntent>),
    /// Its writes are undone; try again later.
    Retry(Failure),
    /// Its writes are undone; it will never work.
    Reject(Failure),
}
