//! Instances leave states that are gone.
//!
//! A transaction finds at most [`AT_ONCE`] of them before it locks anything, in the order of their
//! ids, and moves them by their key. So a batch waits at most for as many updates; and one that has read
//! an instance before finds another VERSION, and is tried again. Many of them are moved in one pass
//! over the table, a transaction after the other.

use std::collections::HashMap;
use std::sync::Arc;

use dipmo_api::table::ProcessTable;
use dipmo_domain::StoreError;
use dipmo_store::{StateMapping, Tables};

use crate::ddl::{self, There};
use crate::definitions::query;
use crate::migrate::{execute, open};
use crate::session::Session;
use crate::sql;

/// The most instances of a process that one transaction moves.
const AT_ONCE: usize = 5_000;

/// The most passes. While a version that still has the state goes on working, more may come to it
/// behind us: what the last pass finds is left for the next call.
const MOST_PASSES: u32 = 3;

/// How far the search for instances to move has come.
#[derive(Default)]
pub(crate) struct Walk {
    /// The last id that was met in this pass, by process.
    met: HashMap<&'static str, String>,
    found_in_pass: bool,
    passes: u32,
    ended: bool,
    clean: bool,
}

/// Instances of a process that stand in a state that is gone.
pub(crate) struct Found {
    table: Arc<ProcessTable>,
    ids: Vec<String>,
}

impl Walk {
    /// True before the first look.
    pub(crate) fn is_new(&self) -> bool {
        self.passes == 0 && self.met.is_empty()
    }

    /// True when there is nothing more to do.
    pub(crate) const fn has_ended(&self) -> bool {
        self.ended
    }

    /// True when a whole pass has found nobody.
    pub(crate) const fn left_nobody(&self) -> bool {
        self.clean
    }

    /// The next ones to move.
    pub(crate) async fn look(
        &mut self,
        session: &Session,
        tables: &Tables,
        mapping: &StateMapping,
    ) -> Result<Vec<Found>, StoreError> {
        let mut found = Vec::new();
        let mut more = false;
        for table in &tables.processes {
            let gone = mapping.gone(table.process);
            if gone.is_empty() || !ddl::is_there(session, &table.table_name()).await? {
                continue;
            }
            let after = self.met.get(table.process).cloned().unwrap_or_default();
            let ids = find(session, table, &gone, &after).await?;
            more |= ids.len() == AT_ONCE;
            if let Some(last) = ids.last() {
                self.met.insert(table.process, last.clone());
                found.push(Found { table: Arc::clone(table), ids });
            }
        }
        self.found_in_pass |= !found.is_empty();
        if !more {
            self.end_pass();
        }
        Ok(found)
    }

    /// One that found somebody is followed by another one.
    fn end_pass(&mut self) {
        self.passes += 1;
        self.clean = !self.found_in_pass;
        self.ended = self.clean || self.passes == MOST_PASSES;
        self.found_in_pass = false;
        self.met.clear();
    }
}

async fn find(
    session: &Session,
    table: &ProcessTable,
    gone: &[&str],
    after: &str,
) -> Result<Vec<String>, StoreError> {
    let text = format!(
        "select id::text from {} where state = any($1::text[]) and id > $2 \
         order by id limit {AT_ONCE}",
        table.table_name()
    );
    let rows = query(session, &text, &[&gone, &after]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Moves those that still stand where they were found.
pub(crate) async fn apply(
    session: &Session,
    mapping: &StateMapping,
    found: &[Found],
) -> Result<(), StoreError> {
    for Found { table, ids } in found {
        let (from, to): (Vec<&str>, Vec<&str>) = mapping.of(table.process).unzip();
        let text = format!(
            "update {} t set state = m.goes, version = t.version + 1 \
             from unnest($1::text[], $2::text[]) as m (stands, goes) \
             where t.id = any($3::text[]) and t.state = m.stands",
            table.table_name()
        );
        query(session, &text, &[&from, &to, ids]).await?;
    }
    Ok(())
}

/// Takes states out of the CHECK, when nobody stands in them. That must be seen under a lock that
/// keeps everybody out, so it is done only when the lock comes and the look ends within a second each;
/// else they stay allowed, which hurts nobody.
pub(crate) async fn forget(
    mut session: Session,
    table: &ProcessTable,
    gone: &[&str],
) -> Result<(), StoreError> {
    let forgotten = try_to_forget(&mut session, table, gone).await;
    match session.finish(forgotten).await {
        Err(StoreError::Busy { .. }) => Ok(()),
        other => other,
    }
}

async fn try_to_forget(
    session: &mut Session,
    table: &ProcessTable,
    gone: &[&str],
) -> Result<(), StoreError> {
    session.run(open()).await?;
    if let There::Allows(known) = There::find(session, table).await?
        && known.iter().any(|state| gone.contains(&&**state))
    {
        let name = table.table_name();
        let lock = format!(
            "set local lock_timeout = '1s'; set local statement_timeout = '1s'; \
             lock table {name} in access exclusive mode"
        );
        execute(session, "migrate", &lock).await?;
        let look = format!("select exists (select from {name} where state = any($1::text[]))");
        if !query(session, &look, &[&gone]).await?[0].get::<_, bool>(0) {
            let stay = known.iter().map(String::as_str).filter(|state| !gone.contains(state));
            let stay: Vec<&str> = stay.collect();
            execute(session, "table_check", &ddl::allow(table, &stay, true)).await?;
        }
    }
    session.run(vec![sql::commit().call()]).await.map(|_| ())
}
