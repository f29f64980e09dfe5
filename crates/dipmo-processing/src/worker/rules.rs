//! What every batch of a worker goes by.

use std::collections::BTreeMap;
use std::sync::Arc;

use dipmo_api::Registry;
use dipmo_domain::Destination;
use dipmo_store::DeadLetters;

use crate::policy::{RetryPolicy, Unrouted};

/// The processes, and the policies for what fails.
pub(crate) struct Rules {
    pub(crate) registry: Arc<Registry>,
    pub(crate) retry: RetryPolicy,
    pub(crate) unrouted: Unrouted,
    pub(crate) dead_letters: Option<DeadLetters>,
    /// Where the messages of a topic go as they are.
    pub(crate) forwards: BTreeMap<String, Destination>,
}
