//! The data of the org: its records, its locks, what is used of its limits.
//!
//! One mutex is around it. Everything here is synchronous and takes no time of its own; a
//! [`Transaction`](transaction::Transaction) is the only way to change a record.

pub(crate) mod accept;
mod accept_text;
pub(crate) mod columns;
mod delete;
mod faults;
pub(crate) mod fields;
pub(crate) mod id;
mod index;
pub(crate) mod keyed;
pub(crate) mod limits;
pub(crate) mod locks;
mod parents;
mod read;
pub(crate) mod record;
pub(crate) mod repeats;
mod rules;
mod stage;
mod table;
#[cfg(test)]
mod tests;
pub(crate) mod transaction;
mod undo;
mod users;
pub(crate) mod write;

use std::sync::Arc;

use jiff::Timestamp;

pub(crate) use parents::{no_external_id, no_such_column};
pub(crate) use stage::not_in_data;

use crate::schema::{FieldId, ObjectId, Schema};
use crate::soql::Cursors;
use crate::value::Value;
use id::{IdText, RecordId};
use limits::LimitsState;
use locks::{Holder, LockTable};
use record::Record;
use table::Table;

/// The data of the org.
#[derive(Debug)]
pub(crate) struct Org {
    pub(crate) schema: Arc<Schema>,
    pub(crate) limits: LimitsState,
    /// The answers to queries that did not fit into one page.
    pub(crate) cursors: Cursors,
    locks: LockTable,
    tables: Vec<Table>,
    /// The number of the last write that was applied.
    sequence: u64,
    rng: fastrand::Rng,
    /// What transactions draw from, each on its own.
    seed: u64,
    /// How many calls have drawn.
    draws: u64,
}

impl Org {
    /// An org with its users and nothing else.
    pub(crate) fn new(schema: Arc<Schema>, mut rng: fastrand::Rng, now: Timestamp) -> Self {
        let mut org = Org {
            limits: LimitsState::new(&schema.limits, now),
            cursors: Cursors::default(),
            locks: LockTable::default(),
            tables: schema.objects().map(|(_, object)| Table::new(object)).collect(),
            sequence: 0,
            seed: rng.u64(..),
            draws: 0,
            rng,
            schema,
        };
        org.add_users(now);
        org
    }

    /// What the next call draws by.
    pub(crate) fn next_draw(&mut self) -> u64 {
        self.draws += 1;
        self.draws
    }

    /// How many writes were applied.
    pub(crate) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The records of the object, deleted ones too.
    pub(crate) fn records(&self, object: ObjectId) -> impl Iterator<Item = (RecordId, &Record)> {
        self.table(object).iter().map(move |(serial, record)| (RecordId { object, serial }, record))
    }

    /// The record, deleted or not.
    pub(crate) fn record(&self, id: RecordId) -> Option<&Record> {
        self.table(id.object).get(id.serial)
    }

    /// The id of the record.
    pub(crate) fn id_text(&self, id: RecordId) -> IdText {
        let given = self.table(id.object).given_id(id.serial);
        given.unwrap_or_else(|| IdText::new(self.schema[id.object].prefix, u64::from(id.serial)))
    }

    /// The record, deleted or not, that the text is the id of.
    pub(crate) fn record_id(&self, text: &str) -> Option<RecordId> {
        self.record_of(IdText::parse(text)?)
    }

    /// The live records with that value; `None` if only a scan could tell.
    pub(crate) fn find(
        &self,
        object: ObjectId,
        field: FieldId,
        value: &Value,
    ) -> Option<Vec<RecordId>> {
        let found = self.table(object).find(field, value)?;
        Some(found.map(|serial| RecordId { object, serial }).collect())
    }

    /// Locks a record on behalf of a test.
    pub(crate) fn lock_row(&mut self, id: RecordId, until: Timestamp) {
        self.locks.hold([id], &Holder::Test, until);
    }

    fn record_of(&self, text: IdText) -> Option<RecordId> {
        let object = self.schema.object_of_prefix(text.prefix())?;
        let table = self.table(object);
        let made = || {
            u32::try_from(text.serial()?).ok().filter(|&serial| table.given_id(serial).is_none())
        };
        let serial = table.serial_of_given(text).or_else(made)?;
        table.get(serial).map(|_| RecordId { object, serial })
    }

    fn table(&self, object: ObjectId) -> &Table {
        &self.tables[usize::from(object.0)]
    }

    fn table_mut(&mut self, object: ObjectId) -> &mut Table {
        &mut self.tables[usize::from(object.0)]
    }
}
