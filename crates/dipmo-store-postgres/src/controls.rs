//! What is steered.

use async_trait::async_trait;
use dipmo_domain::StoreError;
use dipmo_store::admin::{
    AuditEntry, Control, ControlChange, ControlChanged, Controls, Setting, SteeredThing,
};
use tokio_postgres::Row;

use crate::audit;
use crate::sql::{self, params};
use crate::store::PostgresStore;
use crate::types::PgTime;

#[async_trait]
impl Controls for PostgresStore {
    async fn change_control(
        &self,
        of: &SteeredThing,
        change: ControlChange,
        entry: &AuditEntry,
    ) -> Result<ControlChanged, StoreError> {
        let key = || params![of.kind.as_str(), of.name.clone(), change.about().as_str()];
        let mut params = audit::columns(entry);
        params.extend(key());
        let write = match change {
            ControlChange::Set(setting) => {
                params.extend(params![setting.value(), setting.is_a_moment()]);
                sql::control_set().with(params)
            }
            ControlChange::Clear(_) => sql::control_clear().with(params),
        };
        let calls = vec![write, sql::control_find().with(key())];
        let answers = self.report().await?.run(calls).await?;
        let control = answers[1].first().and_then(control);
        Ok(ControlChanged { changed: !answers[0].is_empty(), control })
    }

    async fn controls(&self) -> Result<Vec<Control>, StoreError> {
        let rows = self.look(sql::control_rows().call()).await?;
        Ok(rows.iter().filter_map(control).collect())
    }
}

/// A row that this version understands.
fn control(row: &Row) -> Option<Control> {
    let kind = row.get::<_, String>(0).parse().ok()?;
    let of = SteeredThing { kind, name: row.get(1) };
    let setting = Setting::read(&row.get::<_, String>(2), row.get(6))?;
    let (actor, reason, since) = (row.get(3), row.get(4), row.get::<_, PgTime>(5).0);
    Some(Control { of, setting, actor, reason, since })
}
