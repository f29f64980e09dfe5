//! Rows of domain tables as they are now.

use async_trait::async_trait;
use dipmo_api::{FactDefinition, FactRow};
use dipmo_domain::{StoreError, Value};
use dipmo_store::Lookup;

use crate::{SqliteStore, domain};

#[async_trait]
impl Lookup for SqliteStore {
    async fn look_up(
        &self,
        fact: &FactDefinition,
        keys: &[Value],
    ) -> Result<Vec<FactRow>, StoreError> {
        let (fact, keys) = (fact.clone(), keys.to_vec());
        self.read(move |tx| domain::find_any(tx, &fact.table, fact.by, &keys)).await
    }
}
