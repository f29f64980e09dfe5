//! The records of one object, and how to find one by a unique value or an external id.
//!
//! Only live records are in the indexes.

use super::id::IdText;
use super::index::Index;
use super::record::Record;
use crate::schema::{FieldId, Object};
use crate::value::Value;

/// The records of one object.
#[derive(Debug)]
pub(crate) struct Table {
    records: Vec<Record>,
    indexes: Vec<Index>,
    /// Ids that the schema file gave; all others are made of the serial number.
    given: Vec<(u32, IdText)>,
}

impl Table {
    pub(crate) fn new(object: &Object) -> Self {
        let index = |&field: &FieldId| Index::new(field, &object[field]);
        Table {
            records: Vec::new(),
            indexes: object.indexed().iter().filter_map(index).collect(),
            given: Vec::new(),
        }
    }

    /// The serial number that the next record will have.
    pub(crate) fn next_serial(&self) -> u32 {
        serial_at(self.records.len())
    }

    pub(crate) fn get(&self, serial: u32) -> Option<&Record> {
        self.records.get(place_of(serial)?)
    }

    /// Every record that ever was, with its serial number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Record)> {
        (1..).zip(&self.records)
    }

    /// The live records with that value, the oldest first; `None` if the field has no index.
    pub(crate) fn find(&self, field: FieldId, value: &Value) -> Option<impl Iterator<Item = u32>> {
        let index = self.indexes.iter().find(|index| index.field == field)?;
        Some(index.find(&self.records, value))
    }

    /// Adds a record under the next serial number.
    pub(crate) fn push(&mut self, record: Record) {
        let serial = self.next_serial();
        self.records.push(record);
        self.enter(serial);
    }

    /// Takes back the newest record.
    pub(crate) fn pop(&mut self) {
        self.leave(serial_at(self.records.len().saturating_sub(1)));
        self.records.pop();
    }

    /// Changes a record, and keeps the indexes true.
    pub(crate) fn change<R>(
        &mut self,
        serial: u32,
        change: impl FnOnce(&mut Record) -> R,
    ) -> Option<R> {
        let place = place_of(serial)?;
        self.leave(serial);
        let result = self.records.get_mut(place).map(change);
        self.enter(serial);
        result
    }

    /// Says that a record has this id, not the one made of its serial number.
    pub(crate) fn give_id(&mut self, serial: u32, id: IdText) {
        self.given.push((serial, id));
    }

    pub(crate) fn given_id(&self, serial: u32) -> Option<IdText> {
        self.given.iter().find_map(|&(given, id)| (given == serial).then_some(id))
    }

    pub(crate) fn serial_of_given(&self, id: IdText) -> Option<u32> {
        self.given.iter().find_map(|&(serial, given)| (given == id).then_some(serial))
    }

    fn enter(&mut self, serial: u32) {
        if self.get(serial).is_some_and(Record::is_live) {
            self.indexes.iter_mut().for_each(|index| index.enter(&self.records, serial));
        }
    }

    fn leave(&mut self, serial: u32) {
        if self.get(serial).is_some_and(Record::is_live) {
            self.indexes.iter_mut().for_each(|index| index.leave(&self.records, serial));
        }
    }
}

fn serial_at(place: usize) -> u32 {
    u32::try_from(place + 1).unwrap_or(u32::MAX)
}

/// Where the record of that serial number stands in its table.
pub(super) fn place_of(serial: u32) -> Option<usize> {
    usize::try_from(serial).ok()?.checked_sub(1)
}
