//! The tables that can hold something of a message or an intent, and what blanks them.

use dipmo_domain::{ProcessKey, StoreError};
use dipmo_store::admin::Blanked;
use dipmo_store::{BLANK, BLANK_TEXT};
use rusqlite::types::Value;

use super::find::Found;
use crate::history::as_count;
use crate::listing::as_json;
use crate::sql::{self, Sql, Which};
use crate::tx::Tx;

/// A table with the statement that blanks it, the one that counts what is not blank, and what both are given.
pub(super) struct Table {
    name: &'static str,
    blank: Sql,
    left: Sql,
    params: Vec<Value>,
}

/// What is to be blanked.
#[derive(Default)]
pub(super) struct Rows<'a> {
    pub(super) messages: Vec<i64>,
    pub(super) intents: Vec<i64>,
    /// Intents and records.
    pub(super) units: Vec<i64>,
    pub(super) instances: Vec<ProcessKey>,
    /// Timers and incidents tell by themselves whom they are about.
    pub(super) aggregate: Option<&'a str>,
}

impl<'a> Rows<'a> {
    pub(super) fn of(found: &Found, aggregate: Option<&'a str>) -> Self {
        let units = [&found.intents[..], &found.records].concat();
        let (messages, intents) = (found.messages.clone(), found.intents.clone());
        Self { messages, intents, units, instances: found.keys(), aggregate }
    }

    pub(super) fn tables(&self) -> Vec<Table> {
        let text = |text: &str| Value::Text(text.to_owned());
        let ids = |ids: &[i64]| Value::Text(as_json(ids));
        let aggregate = || self.aggregate.map_or(Value::Null, text);
        let keys: Vec<String> =
            self.instances.iter().map(|key| format!("{}/{}", key.process, key.id)).collect();
        let table = |name, blank, left, params| Table { name, blank, left, params };
        let (messages, units) = (ids(&self.messages), ids(&self.units));
        vec![
            table("dipmo_failure_group", sql::erase_groups(), sql::erase_groups_left(), Vec::new()),
            table(
                "inbox_log",
                sql::erase_messages(),
                sql::erase_messages_left(),
                vec![messages.clone(), text(BLANK)],
            ),
            table(
                "inbox_exception",
                sql::erase_exceptions(Which::Inbox),
                sql::erase_exceptions_left(Which::Inbox),
                vec![messages.clone(), text(BLANK_TEXT)],
            ),
            table(
                "inbox_edit",
                sql::erase_edits(),
                sql::erase_edits_left(),
                vec![messages.clone(), text(BLANK)],
            ),
            table(
                "inbox_incident",
                sql::erase_incidents(),
                sql::erase_incidents_left(),
                vec![messages, text(BLANK), aggregate()],
            ),
            table(
                "outbox_log",
                sql::erase_intents(),
                sql::erase_intents_left(),
                vec![ids(&self.intents), text(BLANK)],
            ),
            table(
                "outbox_exception",
                sql::erase_exceptions(Which::Outbox),
                sql::erase_exceptions_left(Which::Outbox),
                vec![units, text(BLANK_TEXT)],
            ),
            table(
                "process_timer",
                sql::erase_timers(),
                sql::erase_timers_left(),
                vec![aggregate(), text(&serde_json::json!(keys).to_string())],
            ),
        ]
    }

    /// Blanks everything; answers how many rows of each table.
    pub(super) fn blank(&self, tx: &Tx<'_>) -> Result<Vec<u64>, StoreError> {
        let blank = |table: &Table| {
            tx.run(&table.blank, rusqlite::params_from_iter(&table.params)).map(as_count)
        };
        self.tables().iter().map(blank).collect()
    }

    /// What is not blank, beside what was blanked.
    pub(super) fn count(&self, tx: &Tx<'_>, blanked: &[u64]) -> Result<Vec<Blanked>, StoreError> {
        let count = |(table, blanked): (Table, &u64)| {
            let params = rusqlite::params_from_iter(&table.params);
            let left = tx.one(&table.left, params, |row| row.get::<_, i64>(0))?;
            let left = left.map_or(0, i64::unsigned_abs);
            Ok(Blanked { table: table.name.to_owned(), blanked: *blanked, left })
        };
        self.tables().into_iter().zip(blanked).map(count).collect()
    }
}
