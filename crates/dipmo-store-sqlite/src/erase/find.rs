//! What belongs to an aggregate, and what of it has not ended.

use std::collections::BTreeSet;

use dipmo_domain::{ProcessKey, StoreError};
use dipmo_store::admin::{Blanked, Erase, Unended};
use dipmo_store::{StateRow, Tables};

use crate::listing::as_json;
use crate::tx::Tx;
use crate::{rows, sql, states};

/// All that belongs to an aggregate.
pub(super) struct Found {
    pub(super) messages: Vec<i64>,
    pub(super) intents: Vec<i64>,
    pub(super) records: Vec<i64>,
    instances: Vec<StateRow>,
}

impl Found {
    /// Messages of the aggregate, intents of it and those that its messages caused, and what their senders were told
    /// of these: until nothing more is found.
    pub(super) fn of(tx: &Tx<'_>, wish: &Erase) -> Result<Self, StoreError> {
        let id = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        let key = |row: &rusqlite::Row<'_>, at: usize| {
            let (process, id) = (row.get(at)?, row.get(at + 1)?);
            Ok::<_, rusqlite::Error>(Option::zip(process, id))
        };
        let mut messages: BTreeSet<i64> =
            tx.all(&sql::erase_find_messages(), [&wish.aggregate], id)?.into_iter().collect();
        loop {
            let params = (&wish.aggregate, as_json(&sorted(&messages)));
            let read = |row: &rusqlite::Row<'_>| Ok((id(row)?, key(row, 1)?));
            let intents = tx.all(&sql::erase_find_intents(), params, read)?;
            let ids: BTreeSet<i64> = intents.iter().map(|(id, _)| *id).collect();
            let asked: BTreeSet<(String, String)> =
                intents.into_iter().filter_map(|(_, key)| key).collect();
            let names: Vec<&String> = asked.iter().map(|(_, id)| id).collect();
            let params = (serde_json::json!(names).to_string(), as_json(&sorted(&ids)));
            let known = messages.len();
            messages.extend(tx.all(&sql::erase_find_answers(), params, id)?);
            if messages.len() > known {
                continue;
            }
            let intents = sorted(&ids);
            let records = tx.all(&sql::erase_find_records(), [as_json(&intents)], id)?;
            let timers = tx.all(&sql::erase_find_timers(), [&wish.aggregate], |row| key(row, 0))?;
            let linked = asked.into_iter().chain(timers.into_iter().flatten());
            let linked = linked.map(|(process, id)| ProcessKey { process, id });
            let keys = linked.chain(wish.instances.iter().cloned()).collect();
            let instances = instances(tx, &wish.aggregate, &keys)?;
            return Ok(Self { messages: sorted(&messages), intents, records, instances });
        }
    }

    /// The instances of processes.
    pub(super) fn keys(&self) -> Vec<ProcessKey> {
        self.instances.iter().map(|row| row.key.clone()).collect()
    }

    /// What has not ended.
    pub(super) fn waiting(&self, tx: &Tx<'_>, wish: &Erase) -> Result<Vec<Unended>, StoreError> {
        let count = |row: &rusqlite::Row<'_>, at| row.get::<_, i64>(at).map(i64::unsigned_abs);
        let mut waiting =
            tx.all(&sql::erase_wait_messages(), [as_json(&self.messages)], |row| {
                let (status, first) = (rows::parsed(row, 0)?, row.get(2)?);
                Ok(Unended::Messages { status, count: count(row, 1)?, first })
            })?;
        waiting.extend(tx.all(&sql::erase_wait_intents(), [as_json(&self.intents)], |row| {
            let (status, destination, first) = (rows::parsed(row, 0)?, row.get(1)?, row.get(3)?);
            Ok(Unended::Intents { status, destination, count: count(row, 2)?, first })
        })?);
        waiting.extend(self.instances.iter().filter_map(|row| wish.waits(row)));
        Ok(waiting)
    }

    /// Blanks the instances, which have ended; tells of each table how many, and how many are not blank then.
    pub(super) fn blank_instances(
        &self,
        tx: &Tx<'_>,
        tables: &Tables,
        dry_run: bool,
    ) -> Result<Vec<Blanked>, StoreError> {
        let mut counts = Vec::new();
        for table in &tables.processes {
            let of_it = || self.instances.iter().filter(|row| row.key.process == table.process);
            let open: Vec<_> = of_it().filter(|row| !row.is_blank()).cloned().collect();
            let blanked = if dry_run { 0 } else { open.len() as u64 };
            if !dry_run {
                let writes: Vec<_> = open.into_iter().map(|row| row.blanked(table)).collect();
                states::write(tx, &writes)?;
            }
            let mut left = 0;
            for row in of_it() {
                let there = states::find(tx, &row.key)?;
                left += u64::from(there.is_some_and(|row| !row.is_blank()));
            }
            counts.push(Blanked { table: table.table_name(), blanked, left });
        }
        Ok(counts)
    }
}

/// Instances that are there: those that go by the id of the aggregate, in every table of a process that there is, and
/// those that something of it names.
fn instances(
    tx: &Tx<'_>,
    aggregate: &str,
    linked: &BTreeSet<ProcessKey>,
) -> Result<Vec<StateRow>, StoreError> {
    let tables: Vec<String> = tx.all(&sql::process_tables(), (), |row| row.get(0))?;
    let mut found = Vec::new();
    for process in tables.iter().filter_map(|table| table.strip_suffix("_PROCESS")) {
        let mut ids: BTreeSet<&str> =
            linked.iter().filter(|key| key.process == process).map(|key| key.id.as_str()).collect();
        ids.insert(aggregate);
        for id in ids {
            let key = ProcessKey { process: process.to_owned(), id: id.to_owned() };
            found.extend(states::find(tx, &key)?);
        }
    }
    Ok(found)
}

fn sorted(ids: &BTreeSet<i64>) -> Vec<i64> {
    ids.iter().copied().collect()
}
