//! The writes of an object by the key that their records had at the time.
//!
//! A key outlives its records: one that was deleted and made anew is one key with two records, and
//! a record whose key was changed has writes under both.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::Org;
use super::id::RecordId;
use super::index::{hash, same, tells_case};
use super::record::Applied;
use crate::schema::{FieldId, ObjectId};
use crate::value::Value;

/// Where to find a write: its record, and its place in the history of that.
///
/// It stays true until the org is made anew, because what is committed is never taken back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteAt {
    pub(crate) record: RecordId,
    place: u32,
}

/// The writes of an object by key.
#[derive(Debug, Default)]
pub(crate) struct Keyed {
    /// The writes of each key in the order in which they were applied; the key that was applied
    /// first comes first.
    pub(crate) keys: Vec<Vec<WriteAt>>,
    /// How many writes left their record without a key.
    pub(crate) without: u64,
}

impl Org {
    /// The writes of the object by the value of one of its external ids.
    pub(crate) fn keyed(&self, object: ObjectId, field: FieldId) -> Keyed {
        let case_sensitive = tells_case(&self.schema[object][field]);
        let mut keyed = Keyed::default();
        // Places in `keyed.keys`, by the key of the first write there.
        let mut places: HashTable<usize> = HashTable::new();
        for (record, kept) in self.records(object) {
            for place in (0..).take(kept.history.len()) {
                let write = WriteAt { record, place };
                let Some(key) = self.key_of(write, field).filter(|key| !key.is_blank()) else {
                    keyed.without += 1;
                    continue;
                };
                let held = |place: &usize| {
                    let first = keyed.keys.get(*place).and_then(|writes| writes.first());
                    first.and_then(|&first| self.key_of(first, field))
                };
                let is_same =
                    |place: &usize| held(place).is_some_and(|held| same(held, key, case_sensitive));
                let rehash = |place: &usize| held(place).map_or(0, |key| hash(key, case_sensitive));
                match places.entry(hash(key, case_sensitive), is_same, rehash) {
                    Entry::Occupied(entry) => keyed.keys[*entry.get()].push(write),
                    Entry::Vacant(entry) => {
                        entry.insert(keyed.keys.len());
                        keyed.keys.push(vec![write]);
                    }
                }
            }
        }
        let sequence = |write: &WriteAt| self.write_at(*write).map(|write| write.sequence);
        for writes in &mut keyed.keys {
            writes.sort_unstable_by_key(sequence);
        }
        keyed.keys.sort_unstable_by_key(|writes| writes.first().and_then(sequence));
        keyed
    }

    /// The write at that place; `None` if the org was made anew since.
    pub(crate) fn write_at(&self, write: WriteAt) -> Option<&Applied> {
        self.record(write.record)?.history.get(usize::try_from(write.place).ok()?)
    }

    /// The value that the external id had after a write.
    pub(crate) fn key_of(&self, write: WriteAt, field: FieldId) -> Option<&Value> {
        let tracked = self.schema[write.record.object].tracked();
        let column = tracked.iter().position(|tracked| *tracked == field)?;
        self.write_at(write)?.tracked.get(column)
    }
}
