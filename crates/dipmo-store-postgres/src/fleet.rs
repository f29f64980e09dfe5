//! The instances that work on this database.

use async_trait::async_trait;
use dipmo_domain::{StoreError, Timestamp};
use dipmo_store::admin::{Fleet, InstanceReport, InstanceRow};
use tokio_postgres::Row;

use crate::rows;
use crate::sql::{self, params};
use crate::store::PostgresStore;
use crate::types::{PgJson, PgTime};

#[async_trait]
impl Fleet for PostgresStore {
    async fn report(&self, report: &InstanceReport) -> Result<(), StoreError> {
        let InstanceReport { name, version, roles, report } = report.clone();
        let call = sql::fleet_report().with(params![name, version, roles, PgJson(report)]);
        self.look(call).await.map(drop)
    }

    async fn sign_off(&self, name: &str) -> Result<(), StoreError> {
        self.look(sql::fleet_sign_off().with(params![name.to_owned()])).await.map(drop)
    }

    async fn fleet(&self, limit: u32) -> Result<Vec<InstanceRow>, StoreError> {
        let rows = self.look(sql::fleet_rows().with(params![i64::from(limit)])).await?;
        Ok(rows.iter().map(instance).collect())
    }

    async fn forget_instances(&self, before: Timestamp) -> Result<u64, StoreError> {
        let rows = self.look(sql::fleet_forget().with(params![PgTime(before)])).await?;
        Ok(rows::count(&rows[0], 0))
    }
}

fn instance(row: &Row) -> InstanceRow {
    let report = InstanceReport {
        name: row.get(0),
        version: row.get(1),
        roles: row.get(2),
        report: row.get::<_, PgJson>(3).0,
    };
    let (started_at, seen_at) = (row.get::<_, PgTime>(4).0, row.get::<_, PgTime>(5).0);
    InstanceRow { report, started_at, seen_at }
}
