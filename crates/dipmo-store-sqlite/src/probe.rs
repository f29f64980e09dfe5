//! SQL of users as SQLite reads and plans it, without running it.

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_api::sql::{CheckedQuery, CheckedStatement, UserSql};
use dipmo_domain::StoreError;
use dipmo_store::{Complaint, Probe, Probed};

use crate::tx::Tx;
use crate::{SqliteStore, user_sql};

#[async_trait]
impl Probe for SqliteStore {
    async fn probe(
        &self,
        queries: &[Arc<CheckedQuery>],
        statements: &[Arc<CheckedStatement>],
    ) -> Result<Vec<Probed>, StoreError> {
        let (queries, statements) = (queries.to_vec(), statements.to_vec());
        self.read(move |tx| {
            let queries = queries.iter().map(|query| UserSql::Query(query));
            let all = queries.chain(statements.iter().map(|it| UserSql::Statement(it)));
            all.map(|sql| ask(tx, sql)).collect()
        })
        .await
    }
}

fn ask(tx: &Tx<'_>, sql: UserSql<'_>) -> Result<Probed, StoreError> {
    match user_sql::check(tx, sql).err() {
        Some(Complaint { error, .. }) if error.is_transient() => Err(error),
        complaint => Ok(Probed { name: sql.name(), complaint }),
    }
}
