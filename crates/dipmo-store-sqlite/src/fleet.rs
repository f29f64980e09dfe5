//! The instances that work on this file.

use async_trait::async_trait;
use dipmo_domain::{Json, StoreError, Timestamp};
use dipmo_store::admin::{Fleet, InstanceReport, InstanceRow};
use rusqlite::Row;

use crate::history::as_count;
use crate::{SqliteStore, rows, sql};

#[async_trait]
impl Fleet for SqliteStore {
    async fn report(&self, report: &InstanceReport) -> Result<(), StoreError> {
        let InstanceReport { name, version, roles, report } = report.clone();
        self.write(move |tx| {
            let params = (name, version, roles, report.as_str(), tx.now().as_micros());
            tx.run(&sql::fleet_report(), params).map(drop)
        })
        .await
    }

    async fn sign_off(&self, name: &str) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.write(move |tx| tx.run(&sql::fleet_sign_off(), [name]).map(drop)).await
    }

    async fn fleet(&self, limit: u32) -> Result<Vec<InstanceRow>, StoreError> {
        self.read(move |tx| tx.all(&sql::fleet_rows(), [limit], instance)).await
    }

    async fn forget_instances(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.write(move |tx| tx.run(&sql::fleet_forget(), [before.as_micros()]).map(as_count)).await
    }
}

fn instance(row: &Row<'_>) -> rusqlite::Result<InstanceRow> {
    let report = InstanceReport {
        name: row.get(0)?,
        version: row.get(1)?,
        roles: row.get(2)?,
        report: Json::from_store(row.get::<_, String>(3)?),
    };
    Ok(InstanceRow { report, started_at: rows::time(row, 4)?, seen_at: rows::time(row, 5)? })
}
