//! The one way in which a record is inserted or changed.
//!
//! First everything is read and checked, then it is applied: a refused write leaves nothing behind.

use std::mem;

use super::accept;
use super::fields::Fields;
use super::id::{IdText, RecordId};
use super::record::{Applied, AppliedKind, Record, State, Touch};
use super::rules::Draft;
use super::stage::Staged;
use super::transaction::{Caller, Transaction};
use super::undo::Undo;
use crate::refusal::Refusal;
use crate::schema::{FieldId, Object, ObjectId};
use crate::value::Value;

/// A wish to insert or change a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Write<'a> {
    pub(crate) target: Target<'a>,
    pub(crate) fields: Fields<'a>,
}

/// Which record is meant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'a> {
    Insert,
    Update(RecordId),
    /// The one with this value in this external id, or a new one. The field may be the id itself:
    /// then an empty value is a new record, and any other must exist.
    Upsert {
        field: FieldId,
        value: &'a str,
    },
}

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) id: RecordId,
    pub(crate) created: bool,
}

impl Target<'_> {
    /// Whether the field says which record is meant, not what becomes of it.
    pub(super) fn names(&self, field: FieldId) -> bool {
        match self {
            Target::Insert => false,
            Target::Update(_) => field == FieldId::ID,
            Target::Upsert { field: key, .. } => *key == field,
        }
    }
}

impl Transaction<'_> {
    /// Inserts or changes a record.
    pub(crate) fn write(
        &mut self,
        object: ObjectId,
        write: &Write<'_>,
    ) -> Result<Written, Refusal> {
        let mut staged = mem::take(&mut self.staged);
        let result = self.try_write(object, write, &mut staged);
        self.staged = staged;
        result
    }

    fn try_write(
        &mut self,
        object: ObjectId,
        write: &Write<'_>,
        staged: &mut Staged,
    ) -> Result<Written, Refusal> {
        let schema = self.schema.clone();
        let definition = &schema[object];
        if !definition.writable {
            return Err(not_supported(definition, "create or update"));
        }
        self.stage(object, &write.target, &write.fields, staged)?;
        let id = self.locate(object, &write.target, staged)?;
        self.check(object, id, staged)?;
        self.lock(object, id, staged)?;
        self.check_faults(object, &write.target)?;
        match id {
            Some(id) => {
                self.change(id, AppliedKind::Updated, State::Live, staged.drain(..));
                Ok(Written { id, created: false })
            }
            None => Ok(Written { id: self.insert(object, staged), created: true }),
        }
    }

    /// The record that is meant; `None` is a new one, whose key is staged.
    fn locate(
        &self,
        object: ObjectId,
        target: &Target<'_>,
        staged: &mut Staged,
    ) -> Result<Option<RecordId>, Refusal> {
        let (field, value) = match *target {
            Target::Insert => return Ok(None),
            Target::Update(id) => return self.live(id).map(Some),
            Target::Upsert { field: FieldId::ID, value: "" } => return Ok(None),
            Target::Upsert { field: FieldId::ID, value } => {
                return self.resolve(object, value).map(Some);
            }
            Target::Upsert { field, value } => (field, value),
        };
        let definition = &self.schema[object][field];
        let value = accept::from_text(definition, value)?;
        if value.is_blank() {
            let message = format!("{} not specified", definition.name);
            return Err(Refusal::new("MISSING_ARGUMENT", message).about([&*definition.name]));
        }
        let found = self.org.find(object, field, &value).unwrap_or_default();
        match found[..] {
            [] => {
                staged.push((field, value));
                Ok(None)
            }
            [id] => Ok(Some(id)),
            [..] => Err(self.org.several(definition, &found)),
        }
    }

    fn check(
        &self,
        object: ObjectId,
        id: Option<RecordId>,
        staged: &Staged,
    ) -> Result<(), Refusal> {
        let definition = &self.schema[object];
        let base = match id.and_then(|id| self.org.record(id)) {
            Some(record) => &record.values,
            None => definition.defaults(),
        };
        let draft = Draft { org: self.org, object, id, base, staged, now: self.caller.now };
        draft.check_required()?;
        draft.check_unique()?;
        draft.check_validation()?;
        draft.check_duplicates(self.allow_duplicates)
    }

    fn insert(&mut self, object: ObjectId, staged: &mut Staged) -> RecordId {
        let id = RecordId { object, serial: self.org.table(object).next_serial() };
        let schema = self.schema.clone();
        let definition = &schema[object];
        let mut values: Box<[Value]> = definition.defaults().into();
        for (field, value) in staged.drain(..) {
            if let Some(place) = field.slot().and_then(|slot| values.get_mut(slot)) {
                *place = value;
            }
        }
        name_after_id(definition, id, &mut values);
        let touch = self.touch();
        self.org.sequence += 1;
        let applied =
            applied(&self.caller, self.org.sequence, definition, AppliedKind::Created, &values);
        let record = Record {
            values,
            created: touch,
            modified: touch,
            state: State::Live,
            history: vec![applied],
        };
        self.org.table_mut(object).push(record);
        self.undo.push(Undo::Inserted(object));
        id
    }

    /// Changes a record without asking any rule.
    pub(super) fn change(
        &mut self,
        id: RecordId,
        kind: AppliedKind,
        state: State,
        staged: impl Iterator<Item = (FieldId, Value)>,
    ) {
        let touch = self.touch();
        let Transaction { org, schema, caller, undo, .. } = self;
        let sequence = org.sequence + 1;
        let changed = org.table_mut(id.object).change(id.serial, |record| {
            let mut values = Vec::new();
            for (field, value) in staged {
                if let Some(place) = field.slot().and_then(|slot| record.values.get_mut(slot)) {
                    values.push((field, mem::replace(place, value)));
                }
            }
            let undo = Undo::Changed { id, modified: record.modified, state: record.state, values };
            record.modified = touch;
            record.state = state;
            record.history.push(applied(
                caller,
                sequence,
                &schema[id.object],
                kind,
                &record.values,
            ));
            undo
        });
        if let Some(changed) = changed {
            org.sequence = sequence;
            undo.push(changed);
        }
    }

    fn touch(&self) -> Touch {
        Touch { at: self.caller.now, by: self.caller.user.serial }
    }
}

fn applied(
    caller: &Caller,
    sequence: u64,
    object: &Object,
    kind: AppliedKind,
    values: &[Value],
) -> Applied {
    let value = |field: &FieldId| {
        field.slot().and_then(|slot| values.get(slot)).cloned().unwrap_or_default()
    };
    Applied {
        sequence,
        kind,
        call: caller.call,
        job: caller.job.clone(),
        at: caller.now,
        tracked: object.tracked().iter().map(value).collect(),
    }
}

/// A record of a custom object that is given no name is called by its id.
fn name_after_id(object: &Object, id: RecordId, values: &mut [Value]) {
    let name = object.field("Name").filter(|_| object.custom()).and_then(FieldId::slot);
    if let Some(place) = name.and_then(|slot| values.get_mut(slot))
        && place.is_blank()
    {
        let id = IdText::new(object.prefix, u64::from(id.serial));
        *place = Value::Text(id.as_str().into());
    }
}

/// Nobody may do that with records of the object.
pub(super) fn not_supported(object: &Object, operation: &str) -> Refusal {
    let message = format!("entity type {} does not support {operation}", object.name);
    Refusal::of_record("INVALID_TYPE_FOR_OPERATION", message)
}
