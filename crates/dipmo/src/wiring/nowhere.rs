//! Stands where a store will be: adapters are made with it to hear what they say about their options, and
//! dropped again.

use async_trait::async_trait;
use dipmo_api::{FactDefinition, FactRow};
use dipmo_domain::{DedupeKey, StoreError, Value};
use dipmo_inbox::{
    BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored, Whereabouts,
};
use dipmo_store::Lookup;

/// No store: whatever is asked fails.
pub(super) struct Nowhere;

fn away() -> StoreError {
    StoreError::Unreachable { place: "nowhere".to_owned(), problem: "no store is open".to_owned() }
}

#[async_trait]
impl Inbox for Nowhere {
    async fn store(&self, _: &[NewMessage], _: &[SourceRange]) -> Result<Vec<Stored>, StoreError> {
        Err(away())
    }

    async fn begin(&self, _: &[SourceOffset]) -> Result<(), StoreError> {
        Err(away())
    }

    async fn bring_back(&self, _: &[Returned]) -> Result<Vec<BroughtBack>, StoreError> {
        Err(away())
    }

    async fn offsets(&self, _: &str) -> Result<Vec<SourceOffset>, StoreError> {
        Err(away())
    }

    async fn whereabouts(&self, _: &[DedupeKey]) -> Result<Vec<Option<Whereabouts>>, StoreError> {
        Err(away())
    }
}

#[async_trait]
impl Lookup for Nowhere {
    async fn look_up(&self, _: &FactDefinition, _: &[Value]) -> Result<Vec<FactRow>, StoreError> {
        Err(away())
    }
}
