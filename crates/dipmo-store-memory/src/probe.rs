//! SQL, which is refused here.

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_api::sql::{CheckedQuery, CheckedStatement, UserSql};
use dipmo_domain::StoreError;
use dipmo_store::{Probe, Probed};

use crate::MemoryStore;
use crate::domain::no_sql;

#[async_trait]
impl Probe for MemoryStore {
    async fn probe(
        &self,
        queries: &[Arc<CheckedQuery>],
        statements: &[Arc<CheckedStatement>],
    ) -> Result<Vec<Probed>, StoreError> {
        let queries = queries.iter().map(|query| UserSql::Query(query));
        let mut all = queries.chain(statements.iter().map(|it| UserSql::Statement(it)));
        all.next().map_or_else(|| Ok(Vec::new()), |sql| Err(no_sql(sql)))
    }
}
