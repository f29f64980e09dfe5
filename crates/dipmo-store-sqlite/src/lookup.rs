//! Rows of domain tables, and what queries find, as they are now.

use std::collections::HashSet;

use async_trait::async_trait;
use dipmo_api::sql::CheckedQuery;
use dipmo_api::{FactDefinition, FactRow, FactSource};
use dipmo_domain::{StoreError, Value};
use dipmo_store::Lookup;

use crate::tx::Tx;
use crate::{SqliteStore, domain, user_sql};

#[async_trait]
impl Lookup for SqliteStore {
    async fn look_up(
        &self,
        fact: &FactDefinition,
        keys: &[Value],
    ) -> Result<Vec<FactRow>, StoreError> {
        let (fact, keys) = (fact.clone(), keys.to_vec());
        self.read(move |tx| match &fact.source {
            FactSource::Table { table, by } => domain::find_any(tx, table, by, &keys),
            FactSource::Query { query, .. } => find(tx, &fact, query, &keys),
        })
        .await
    }
}

/// One execution for each key, all of them as of one moment.
fn find(
    tx: &Tx<'_>,
    fact: &FactDefinition,
    query: &CheckedQuery,
    keys: &[Value],
) -> Result<Vec<FactRow>, StoreError> {
    let mut rows = Vec::new();
    for key in keys.iter().collect::<HashSet<_>>() {
        if let Some(problem) = fact.misfit(&key.clone().into()) {
            return Err(StoreError::RowRefused { statement: "query", problem });
        }
        rows.extend(user_sql::find(tx, query, std::slice::from_ref(key))?);
    }
    Ok(rows)
}
