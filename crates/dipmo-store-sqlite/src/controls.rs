//! What is steered.

use async_trait::async_trait;
use dipmo_domain::StoreError;
use dipmo_store::admin::{
    AuditEntry, Control, ControlChange, ControlChanged, Controls, Setting, SteeredThing,
};
use rusqlite::Row;

use crate::tx::Tx;
use crate::{SqliteStore, audit, rows, sql};

#[async_trait]
impl Controls for SqliteStore {
    async fn change_control(
        &self,
        of: &SteeredThing,
        change: ControlChange,
        entry: &AuditEntry,
    ) -> Result<ControlChanged, StoreError> {
        let (of, entry) = (of.clone(), entry.clone());
        self.write(move |tx| apply(tx, &of, change, &entry)).await
    }

    async fn controls(&self) -> Result<Vec<Control>, StoreError> {
        let rows = self.read(|tx| tx.all(&sql::control_rows(), (), control)).await?;
        Ok(rows.into_iter().flatten().collect())
    }
}

fn apply(
    tx: &Tx<'_>,
    of: &SteeredThing,
    change: ControlChange,
    entry: &AuditEntry,
) -> Result<ControlChanged, StoreError> {
    let key = (of.kind.as_str(), &of.name, change.about().as_str());
    let written = match change {
        ControlChange::Set(setting) => {
            let at = tx.now().as_micros();
            let (kind, name, word) = key;
            let (value, again) = (setting.value(), setting.is_a_moment());
            let params = (kind, name, word, value, &entry.actor, &entry.reason, at, again);
            tx.run(&sql::control_set(), params)?
        }
        ControlChange::Clear(_) => tx.run(&sql::control_clear(), key)?,
    };
    if written > 0 {
        audit::write(tx, entry)?;
    }
    let control = tx.one(&sql::control_find(), key, control)?.flatten();
    Ok(ControlChanged { changed: written > 0, control })
}

/// A row that this version understands.
fn control(row: &Row<'_>) -> rusqlite::Result<Option<Control>> {
    let (kind, setting) = (row.get::<_, String>(0)?, row.get::<_, String>(2)?);
    let (Ok(kind), Some(setting)) = (kind.parse(), Setting::read(&setting, row.get(6)?)) else {
        return Ok(None);
    };
    let of = SteeredThing { kind, name: row.get(1)? };
    let (actor, reason, since) = (row.get(3)?, row.get(4)?, rows::time(row, 5)?);
    Ok(Some(Control { of, setting, actor, reason, since }))
}
