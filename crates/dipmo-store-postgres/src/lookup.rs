//! Rows of domain tables, and what queries find, as they are now, by the statements that read facts.

use std::collections::HashSet;

use async_trait::async_trait;
use dipmo_api::{FactDefinition, FactKey, FactRow};
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
        let distinct: HashSet<&Value> = keys.iter().collect();
        let keys = distinct.into_iter().cloned().map(FactKey::from).collect();
        let (read, call) = FactRead::new(fact, keys)?;
        if read.is_empty() {
            return Ok(Vec::new());
        }
        let rows = self.hot().await?.run(vec![call]).await?.remove(0);
        Ok(read.rows(&rows)?.into_iter().map(|(_, row)| row).collect())
    }
}
