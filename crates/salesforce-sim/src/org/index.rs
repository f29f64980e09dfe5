//! Which records have a value: of a unique field, an external id, a look-up.
//!
//! It holds serial numbers only and compares with the records themselves, so it costs a few bytes
//! for each record. Records with the same value share one entry, so that a parent of many children
//! is no chain of collisions.

use std::collections::BTreeSet;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::record::Record;
use super::table::place_of;
use crate::fold;
use crate::schema::{Field, FieldId, Kind};
use crate::value::Value;

/// Which records have a value.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) field: FieldId,
    slot: usize,
    case_sensitive: bool,
    entries: HashTable<Serials>,
}

/// The records of one value. Hardly ever more than one, but for look-ups.
#[derive(Debug)]
enum Serials {
    One(u32),
    #[expect(clippy::box_collection, reason = "most entries are one number, and stay small")]
    Many(Box<BTreeSet<u32>>),
}

impl Index {
    /// `None` for a field that records do not keep.
    pub(super) fn new(field: FieldId, definition: &Field) -> Option<Self> {
        Some(Index {
            field,
            slot: field.slot()?,
            case_sensitive: tells_case(definition),
            entries: HashTable::new(),
        })
    }

    /// The records with that value, the oldest first.
    pub(super) fn find(&self, records: &[Record], value: &Value) -> impl Iterator<Item = u32> {
        let found = self.entries.find(self.hash(value), |entry| self.holds(records, entry, value));
        found.into_iter().flat_map(Serials::iter)
    }

    pub(super) fn enter(&mut self, records: &[Record], serial: u32) {
        let Some(value) = value_of(records, serial, self.slot) else { return };
        let (slot, case_sensitive) = (self.slot, self.case_sensitive);
        let held = |entry: &Serials| value_of(records, entry.first()?, slot);
        let same =
            |entry: &Serials| held(entry).is_some_and(|held| same(held, value, case_sensitive));
        let rehash = |entry: &Serials| held(entry).map_or(0, |held| hash(held, case_sensitive));
        match self.entries.entry(hash(value, case_sensitive), same, rehash) {
            Entry::Vacant(entry) => {
                entry.insert(Serials::One(serial));
            }
            Entry::Occupied(mut entry) => entry.get_mut().add(serial),
        }
    }

    /// To be asked while the record still has its value.
    pub(super) fn leave(&mut self, records: &[Record], serial: u32) {
        let Some(value) = value_of(records, serial, self.slot) else { return };
        let (slot, case_sensitive) = (self.slot, self.case_sensitive);
        let same = |entry: &Serials| {
            let held = entry.first().and_then(|first| value_of(records, first, slot));
            held.is_some_and(|held| same(held, value, case_sensitive))
        };
        if let Ok(mut entry) = self.entries.find_entry(hash(value, case_sensitive), same) {
            match entry.get_mut() {
                Serials::Many(serials) if serials.len() > 1 => {
                    serials.remove(&serial);
                }
                Serials::One(_) | Serials::Many(_) => {
                    entry.remove();
                }
            }
        }
    }

    fn hash(&self, value: &Value) -> u64 {
        hash(value, self.case_sensitive)
    }

    fn holds(&self, records: &[Record], entry: &Serials, value: &Value) -> bool {
        let held = entry.first().and_then(|first| value_of(records, first, self.slot));
        held.is_some_and(|held| same(held, value, self.case_sensitive))
    }
}

impl Serials {
    fn first(&self) -> Option<u32> {
        match self {
            Serials::One(serial) => Some(*serial),
            Serials::Many(serials) => serials.first().copied(),
        }
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        let (one, many) = match self {
            Serials::One(serial) => (Some(*serial), None),
            Serials::Many(serials) => (None, Some(serials.iter().copied())),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }

    fn add(&mut self, serial: u32) {
        match self {
            Serials::One(first) => {
                *self = Serials::Many(Box::new(BTreeSet::from([*first, serial])));
            }
            Serials::Many(serials) => {
                serials.insert(serial);
            }
        }
    }
}

/// A blank is not looked for.
fn value_of(records: &[Record], serial: u32, slot: usize) -> Option<&Value> {
    let record = records.get(place_of(serial)?)?;
    record.values.get(slot).filter(|value| !value.is_blank())
}

/// Whether `a` and `A` are two values of the field. Ids always tell case apart.
pub(super) fn tells_case(field: &Field) -> bool {
    field.case_sensitive || matches!(field.kind, Kind::Id | Kind::Reference(_))
}

/// A hash that is the same for values that [`same`] takes for the same.
pub(super) fn hash(value: &Value, case_sensitive: bool) -> u64 {
    match value {
        Value::Text(text) if case_sensitive => fold::bytes_hash(text.bytes()),
        Value::Text(text) => fold::hash(text),
        Value::Number(number) => fold::bytes_hash(number.to_bits().to_le_bytes().into_iter()),
        Value::Bool(_) | Value::Null => 0,
    }
}

/// Whether a unique field would take the values for the same.
pub(super) fn same(left: &Value, right: &Value, case_sensitive: bool) -> bool {
    match (left, right) {
        (Value::Text(left), Value::Text(right)) if !case_sensitive => fold::same(left, right),
        (left, right) => left == right,
    }
}
