//! A small deployment that uses everything: two kinds of accounts, a mirror, an audit.

mod account;
mod audit;
mod book;
mod data;
mod garbled;
mod mirror;
mod note;
mod sends;
mod tables;

use std::sync::Arc;

use dipmo_api::{Registry, RegistryError, Subscription};
use dipmo_store_memory::MemoryStore;

pub(crate) use account::{Account, WAIT};
pub(crate) use audit::AuditAct;
pub(crate) use book::{Book, Entry, SOURCE};
pub(crate) use data::{Kept, Seen};
pub(crate) use garbled::{BLOCKING, mended};
pub(crate) use mirror::{Copied, Mirror};
pub(crate) use note::{Act, Note};
pub(crate) use sends::expected_intents;
pub(crate) use tables::{counts, installed, ledger};

/// The processes, and the handler's name.
pub(crate) fn registry() -> Result<Registry, RegistryError> {
    Registry::new()
        .process(Account::<true>)?
        .process(Account::<false>)?
        .process(Mirror)?
        .handler("audit", vec![Subscription::all("audit")])
}

/// The store, with the handler.
pub(crate) fn with_handlers(store: MemoryStore) -> MemoryStore {
    store.with_handler("audit", Arc::new(audit::Audit))
}
