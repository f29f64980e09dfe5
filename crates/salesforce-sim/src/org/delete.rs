//! Deleting, and what that does to the children of a record; and the locks of rows.

use std::iter;

use super::id::RecordId;
use super::record::{AppliedKind, State};
use super::stage::Staged;
use super::transaction::Transaction;
use super::write::{Target, not_supported};
use crate::refusal::Refusal;
use crate::schema::{Child, FieldId, ObjectId, OnDelete, Source};
use crate::value::Value;

impl Transaction<'_> {
    /// Moves the record to the recycle bin.
    pub(crate) fn delete(&mut self, id: RecordId) -> Result<(), Refusal> {
        self.check_faults(id.object, &Target::Update(id))?;
        self.remove(id, AppliedKind::Deleted, State::Deleted)
    }

    /// Deletes the record for good.
    pub(crate) fn erase(&mut self, id: RecordId) -> Result<(), Refusal> {
        self.check_faults(id.object, &Target::Update(id))?;
        self.remove(id, AppliedKind::Erased, State::Erased)
    }

    fn remove(&mut self, id: RecordId, kind: AppliedKind, state: State) -> Result<(), Refusal> {
        let schema = self.schema.clone();
        let object = &schema[id.object];
        if !object.writable {
            return Err(not_supported(object, "delete"));
        }
        self.live(id)?;
        for &child in object.children() {
            self.check_restriction(id, child)?;
        }
        self.lock(id.object, Some(id), &Staged::new())?;
        // The parent goes first: a record that is its own grandparent would not end otherwise.
        self.change(id, kind, state, iter::empty());
        for &child in object.children() {
            for record in self.children_of(id, child) {
                match self.on_delete(child) {
                    OnDelete::Clear => {
                        let cleared = iter::once((child.field, Value::Null));
                        self.change(record, AppliedKind::Detached, State::Live, cleared);
                    }
                    OnDelete::Cascade if self.live(record).is_ok() => {
                        self.remove(record, kind, state)?
                    }
                    OnDelete::Cascade | OnDelete::Restrict => {}
                }
            }
        }
        Ok(())
    }

    fn check_restriction(&self, id: RecordId, child: Child) -> Result<(), Refusal> {
        if self.on_delete(child) != OnDelete::Restrict {
            return Ok(());
        }
        let children = self.children_of(id, child);
        if children.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = children.iter().map(|&child| self.name_of(child)).collect();
        let plural = self.schema[child.object].plural.to_lowercase();
        Err(Refusal::new(
            "DELETE_FAILED",
            format!(
                "Your attempt to delete {} could not be completed because it is associated with the following {plural}.: {}\n",
                self.name_of(id),
                names.join(", ")
            ),
        ))
    }

    fn on_delete(&self, child: Child) -> OnDelete {
        let reference = self.schema[child.object][child.field].reference();
        reference.map_or(OnDelete::Clear, |reference| reference.on_delete)
    }

    fn children_of(&self, parent: RecordId, child: Child) -> Vec<RecordId> {
        let Some(slot) = child.field.slot() else { return Vec::new() };
        let parent = self.org.id_text(parent);
        let points = |value: &Value| value.as_text() == Some(parent.as_str());
        let records = self.org.records(child.object);
        let pointing = records
            .filter(|(_, record)| record.is_live() && record.values.get(slot).is_some_and(points));
        pointing.map(|(id, _)| id).collect()
    }

    fn name_of(&self, id: RecordId) -> String {
        let name = self.schema[id.object].field("Name").map(|field| self.org.value(id, field));
        let name = name.as_ref().and_then(Value::as_text).map(str::to_owned);
        name.unwrap_or_else(|| self.org.id_text(id).to_string())
    }

    /// Takes the locks of the record and of the parents that the write points to, or says that
    /// somebody else has one.
    pub(super) fn lock(
        &mut self,
        object: ObjectId,
        id: Option<RecordId>,
        staged: &Staged,
    ) -> Result<(), Refusal> {
        if !self.keeps_locks() && self.org.locks.is_empty() {
            return Ok(());
        }
        let schema = self.schema.clone();
        let parent = |(field, value): &(FieldId, Value)| {
            let definition = &schema[object][*field];
            definition.reference().filter(|_| definition.source == Source::Written)?;
            self.org.record_id(value.as_text()?)
        };
        let wanted: Vec<_> = id.into_iter().chain(staged.iter().filter_map(parent)).collect();
        for &record in &wanted {
            if let Some(until) = self.org.locks.until(record, &self.holder, self.caller.now) {
                self.blocked = self.blocked.max(Some(until));
                let id = self.org.id_text(record);
                let message =
                    format!("unable to obtain exclusive access to this record or 1 records: {id}");
                return Err(Refusal::new("UNABLE_TO_LOCK_ROW", message));
            }
        }
        if self.keeps_locks() {
            self.touched.extend(wanted);
        }
        Ok(())
    }
}
