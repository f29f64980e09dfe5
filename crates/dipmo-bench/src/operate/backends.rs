//! How long the backends of a store were on a processor.

use anyhow::{Context as _, Result, ensure};

use crate::database::Database;
use crate::resident;

/// The name that sessions are known by.
pub(super) const NAME: &str = "dipmo-bench-watch";

/// Statements have no helpers, whose time would be gone with them.
const ALONE: &str = "-c max_parallel_workers_per_gather=0";

/// The address of a database, for sessions that are known by [`NAME`].
pub(super) fn url(database: &Database) -> String {
    let url = database.url();
    let Some((_, place)) = url.split_once("://") else {
        return format!("{url} application_name={NAME} options='{ALONE}'");
    };
    let and = if place.contains('?') { '&' } else { '?' };
    let options = ALONE.replace(' ', "%20").replace('=', "%3D");
    format!("{url}{and}application_name={NAME}&options={options}")
}

/// Processor time of all backends that are known by [`NAME`], in milliseconds.
pub(super) async fn cpu_millis(database: &Database) -> Result<u64> {
    let text = "select pid from pg_stat_activity where application_name = $1";
    let rows = database.client().query(text, &[&NAME]).await?;
    ensure!(!rows.is_empty(), "no backend is called {NAME}");
    let mut millis = 0;
    for pid in rows.iter().map(|row| row.get::<_, i32>(0).unsigned_abs()) {
        let used = resident::cpu_millis_of(pid);
        millis += used.with_context(|| format!("backend {pid} does not run on this machine"))?;
    }
    Ok(millis)
}
