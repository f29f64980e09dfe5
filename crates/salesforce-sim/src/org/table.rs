//! The records of one object, and how to find one by a unique value or an external id.
//!
//! An index holds serial numbers only and compares with the records themselves, so it costs a few
//! bytes for each record. Only live records are in the indexes.

use hashbrown::HashTable;

use super::id::IdText;
use super::record::Record;
use crate::fold;
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

#[derive(Debug)]
struct Index {
    field: FieldId,
    slot: usize,
    case_sensitive: bool,
    serials: HashTable<u32>,
}

impl Table {
    pub(crate) fn new(object: &Object) -> Self {
        let index = |&field: &FieldId| {
            Some(Index {
                field,
                slot: field.slot()?,
                case_sensitive: object[field].case_sensitive,
                serials: HashTable::new(),
            })
        };
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

    /// The live records with that value; `None` if the field has no index.
    pub(crate) fn find(&self, field: FieldId, value: &Value) -> Option<impl Iterator<Item = u32>> {
        let index = self.indexes.iter().find(|index| index.field == field)?;
        let hash = index.hash(value);
        let serials = index.serials.iter_hash(hash).copied();
        Some(serials.filter(move |&serial| {
            self.value(serial, index.slot).is_some_and(|held| index.same(held, value))
        }))
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

    fn value(&self, serial: u32, slot: usize) -> Option<&Value> {
        self.get(serial)?.values.get(slot)
    }

    fn enter(&mut self, serial: u32) {
        let records = &self.records;
        let Some(record) = place_of(serial).and_then(|place| records.get(place)) else { return };
        if !record.is_live() {
            return;
        }
        for index in &mut self.indexes {
            let Some(value) = record.values.get(index.slot).filter(|value| !value.is_blank())
            else {
                continue;
            };
            let (slot, case_sensitive) = (index.slot, index.case_sensitive);
            let rehash = |&serial: &u32| {
                let record = place_of(serial).and_then(|place| records.get(place));
                record
                    .and_then(|record| record.values.get(slot))
                    .map_or(0, |value| hash(value, case_sensitive))
            };
            index.serials.insert_unique(hash(value, case_sensitive), serial, rehash);
        }
    }

    fn leave(&mut self, serial: u32) {
        let Some(record) = place_of(serial).and_then(|place| self.records.get(place)) else {
            return;
        };
        if !record.is_live() {
            return;
        }
        for index in &mut self.indexes {
            let Some(value) = record.values.get(index.slot).filter(|value| !value.is_blank())
            else {
                continue;
            };
            let hash = hash(value, index.case_sensitive);
            if let Ok(entry) = index.serials.find_entry(hash, |&entered| entered == serial) {
                entry.remove();
            }
        }
    }
}

impl Index {
    fn hash(&self, value: &Value) -> u64 {
        hash(value, self.case_sensitive)
    }

    fn same(&self, left: &Value, right: &Value) -> bool {
        same(left, right, self.case_sensitive)
    }
}

fn hash(value: &Value, case_sensitive: bool) -> u64 {
    match value {
        Value::Text(text) if case_sensitive => fold::bytes_hash(text.bytes()),
        Value::Text(text) => fold::hash(text),
        Value::Number(number) => fold::bytes_hash(number.to_bits().to_le_bytes().into_iter()),
        Value::Bool(_) | Value::Null => 0,
    }
}

/// Whether a unique field would take the values for the same.
pub(crate) fn same(left: &Value, right: &Value, case_sensitive: bool) -> bool {
    match (left, right) {
        (Value::Text(left), Value::Text(right)) if !case_sensitive => fold::same(left, right),
        (left, right) => left == right,
    }
}

fn serial_at(place: usize) -> u32 {
    u32::try_from(place + 1).unwrap_or(u32::MAX)
}

fn place_of(serial: u32) -> Option<usize> {
    usize::try_from(serial).ok()?.checked_sub(1)
}
