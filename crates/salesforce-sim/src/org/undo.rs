//! What one write changed, so that it can be taken back.

use super::Org;
use super::id::RecordId;
use super::record::{State, Touch};
use crate::schema::{FieldId, ObjectId};
use crate::value::Value;

/// How to take one write back. Taken back in the opposite order, the newest record of a table is
/// always the one that was inserted.
#[derive(Debug)]
pub(super) enum Undo {
    Inserted(ObjectId),
    Changed { id: RecordId, modified: Touch, state: State, values: Vec<(FieldId, Value)> },
}

impl Org {
    pub(super) fn take_back(&mut self, undo: Undo) {
        self.sequence -= 1;
        match undo {
            Undo::Inserted(object) => self.table_mut(object).pop(),
            Undo::Changed { id, modified, state, values } => {
                self.table_mut(id.object).change(id.serial, |record| {
                    record.modified = modified;
                    record.state = state;
                    record.history.pop();
                    for (field, value) in values {
                        if let Some(place) =
                            field.slot().and_then(|slot| record.values.get_mut(slot))
                        {
                            *place = value;
                        }
                    }
                });
            }
        }
    }
}
