//! Who did what: entries that are added and never changed, which a trigger sees to.

use async_trait::async_trait;
use dipmo_domain::StoreError;
use dipmo_store::admin::{Audit, AuditEntry, AuditFilter, AuditRow, Listing, Page};
use tokio_postgres::Row;

use crate::listing::{self, AUDIT, MOST, Mark, Search};
use crate::sql::{self, Call, Param, params};
use crate::store::PostgresStore;
use crate::types::{PgJson, PgTime};

#[async_trait]
impl Audit for PostgresStore {
    async fn note(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        self.report().await?.run(vec![insert(entry)]).await.map(drop)
    }

    async fn audit(
        &self,
        filter: &AuditFilter,
        page: Page,
    ) -> Result<Listing<AuditRow>, StoreError> {
        let AuditFilter { actor, action, target, since, until } = filter.clone();
        if listing::has_nul([&actor, &action, &target]) {
            return Ok(listing::nothing());
        }
        let mut search = Search::begin(self, AUDIT, page, (since, until)).await?;
        let end = sql::list_end().fill("{rows}", &AUDIT.rows().text);
        search.end_at(end, MOST, params![]).await?;
        let wanted = params![actor, action, target, since.map(PgTime), until.map(PgTime)];
        let mark = |row: &AuditRow| Mark { id: row.id, at: row.at };
        search.list(sql::audit_list(), wanted, |row| Ok(kept(row)), mark).await
    }
}

/// The statement that adds an entry, for the transaction of what it is about.
pub(crate) fn insert(entry: &AuditEntry) -> Call {
    sql::audit_insert().with(columns(entry))
}

/// The columns of an entry, in their order.
pub(crate) fn columns(entry: &AuditEntry) -> Vec<Param> {
    let AuditEntry { actor, role, action, target, reason, detail } = entry.clone();
    params![actor, role, action, target, reason, PgJson(detail)]
}

fn kept(row: &Row) -> AuditRow {
    let entry = AuditEntry {
        actor: row.get(2),
        role: row.get(3),
        action: row.get(4),
        target: row.get(5),
        reason: row.get(6),
        detail: row.get::<_, PgJson>(7).0,
    };
    AuditRow { id: row.get(0), at: row.get::<_, PgTime>(1).0, entry }
}
