//! What was promised, and how often it was kept.

use async_trait::async_trait;
use dipmo_domain::{StoreError, Timestamp};
use dipmo_store::admin::{Slo, SloCount, SloHour};
use tokio_postgres::Row;

use crate::rows;
use crate::sql::{self, params};
use crate::store::PostgresStore;
use crate::types::PgTime;

#[async_trait]
impl Slo for PostgresStore {
    async fn add_slo(&self, counts: &[SloCount]) -> Result<(), StoreError> {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let names: Vec<String> = counts.iter().map(|it| it.name.clone()).collect();
        let good: Vec<i64> = counts.iter().map(|it| number(it.good)).collect();
        let total: Vec<i64> = counts.iter().map(|it| number(it.total)).collect();
        self.look(sql::slo_add().with(params![names, good, total])).await.map(drop)
    }

    async fn slo_hours(&self, since: Timestamp) -> Result<Vec<SloHour>, StoreError> {
        let rows = self.look(sql::slo_hours().with(params![PgTime(since)])).await?;
        Ok(rows.iter().map(hour).collect())
    }

    async fn forget_slo(&self, before: Timestamp) -> Result<u64, StoreError> {
        let rows = self.look(sql::slo_forget().with(params![PgTime(before)])).await?;
        Ok(rows::count(&rows[0], 0))
    }
}

fn hour(row: &Row) -> SloHour {
    let (good, total) = (rows::count(row, 2), rows::count(row, 3));
    SloHour { hour: row.get::<_, PgTime>(0).0, count: SloCount { name: row.get(1), good, total } }
}
