//! Rows of domain tables as they are now, by the statement that reads facts.

use async_trait::async_trait;
use dipmo_api::{FactDefinition, FactRow};
use dipmo_domain::{StoreError, Value};
use dipmo_store::Lookup;

use crate::facts::FactRead;
use crate::store::PostgresStore;

#[async_trait]
impl Lookup for PostgresStore {
    async fn look_up(
        &self,
        fact: &FactDefinition,
        keys: &[Value],
    ) -> Result<Vec<FactRow>, StoreError> {
        let read = FactRead::new(fact, keys.to_vec())?;
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let rows = self.hot().await?.run(vec![read.call()]).await?.remove(0);
        read.rows(&rows)
    }
}
