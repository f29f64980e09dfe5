//! Who did what: entries that are added and never changed, which triggers see to.

use async_trait::async_trait;
use dipmo_domain::{Json, StoreError, Timestamp};
use dipmo_store::admin::{Audit, AuditEntry, AuditFilter, AuditRow, Listing, Page};
use rusqlite::Row;

use crate::listing::{List, Range, as_json, first, walk};
use crate::tx::Tx;
use crate::{SqliteStore, rows, sql};

#[async_trait]
impl Audit for SqliteStore {
    async fn note(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        let entry = entry.clone();
        self.write(move |tx| write(tx, &entry)).await
    }

    async fn audit(
        &self,
        filter: &AuditFilter,
        page: Page,
    ) -> Result<Listing<AuditRow>, StoreError> {
        let filter = filter.clone();
        self.read(move |tx| walk(tx, &Entries(&filter), page)).await
    }
}

/// Adds an entry, in the transaction of what it is about.
pub(crate) fn write(tx: &Tx<'_>, entry: &AuditEntry) -> Result<(), StoreError> {
    let AuditEntry { actor, role, action, target, reason, detail } = entry;
    let at = tx.now().as_micros();
    let params = (at, actor, role, action, target, reason, detail.as_str());
    tx.run(&sql::audit_insert(), params).map(drop)
}

/// Entries that fit a filter.
struct Entries<'a>(&'a AuditFilter);

impl List for Entries<'_> {
    type Line = AuditRow;

    fn ids(&self, tx: &Tx<'_>, range: Range, limit: usize) -> Result<Vec<i64>, StoreError> {
        tx.all(&sql::audit_ids(), (range.from, range.before, limit), |row| row.get(0))
    }

    fn lines(&self, tx: &Tx<'_>, ids: &[i64], limit: usize) -> Result<Vec<AuditRow>, StoreError> {
        let AuditFilter { actor, action, target, since, until } = self.0;
        let (since, until) = (since.map(Timestamp::as_micros), until.map(Timestamp::as_micros));
        let params = (as_json(ids), actor, action, target, since, until);
        first(tx, &sql::audit_lines(), params, limit, entry)
    }

    fn id(line: &AuditRow) -> i64 {
        line.id
    }

    fn time(&self, tx: &Tx<'_>, id: i64) -> Result<Option<Timestamp>, StoreError> {
        tx.one(&sql::audit_time(), [id], |row| rows::time(row, 0))
    }
}

fn entry(row: &Row<'_>) -> rusqlite::Result<AuditRow> {
    let entry = AuditEntry {
        actor: row.get(2)?,
        role: row.get(3)?,
        action: row.get(4)?,
        target: row.get(5)?,
        reason: row.get(6)?,
        detail: Json::from_store(row.get::<_, String>(7)?),
    };
    Ok(AuditRow { id: row.get(0)?, at: rows::time(row, 1)?, entry })
}
