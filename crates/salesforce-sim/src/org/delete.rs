//! Deleting, and what that does to the children of a record.

use std::iter;

use super::id::RecordId;
use super::record::{AppliedKind, State};
use super::stage::Staged;
use super::transaction::Transaction;
use super::write::{Target, not_supported};
use crate::refusal::Refusal;
use crate::schema::{Child, OnDelete};
use crate::value::Value;

impl Transaction<'_> {
    /// Moves the record to the recycle bin.
    pub(crate) fn delete(&mut self, id: RecordId) -> Result<(), Refusal> {
        self.remove(id, AppliedKind::Deleted, State::Deleted)
    }

    /// Deletes the record for good.
    pub(crate) fn erase(&mut self, id: RecordId) -> Result<(), Refusal> {
        self.remove(id, AppliedKind::Erased, State::Erased)
    }

    /// A child that cannot be deleted keeps its parent, and all that would go with it.
    fn remove(&mut self, id: RecordId, kind: AppliedKind, state: State) -> Result<(), Refusal> {
        let start = self.savepoint();
        // A list, not a recursion: a chain of parents may be as long as the table.
        let mut doomed = vec![self.live(id)?];
        let mut result = Ok(());
        while let Some(id) = doomed.pop().filter(|_| result.is_ok()) {
            result = self.remove_one(id, kind, state, &mut doomed);
        }
        // Faults are asked last: a row that is refused anyway does not use a rule up.
        let result = result.and_then(|()| self.check_faults(id.object, &Target::Update(id)));
        if result.is_err() {
            self.rollback_to(start);
        }
        result
    }

    fn remove_one(
        &mut self,
        id: RecordId,
        kind: AppliedKind,
        state: State,
        doomed: &mut Vec<RecordId>,
    ) -> Result<(), Refusal> {
        if self.live(id).is_err() {
            // It was a child of two of them.
            return Ok(());
        }
        let schema = self.schema.clone();
        let object = &schema[id.object];
        if !object.writable {
            return Err(not_supported(object, "delete"));
        }
        for &child in object.children() {
            self.check_restriction(id, child)?;
        }
        self.lock(id.object, Some(id), &Staged::new())?;
        self.change(id, kind, state, iter::empty());
        for &child in object.children() {
            match self.on_delete(child) {
                OnDelete::Restrict => {}
                OnDelete::Cascade => doomed.extend(self.children_of(id, child)),
                OnDelete::Clear => {
                    for record in self.children_of(id, child) {
                        let cleared = iter::once((child.field, Value::Null));
                        self.change(record, AppliedKind::Detached, State::Live, cleared);
                    }
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
        Err(Refusal::of_record(
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
        let parent = self.org.pointer(parent);
        self.org.find(child.object, child.field, &parent).unwrap_or_default()
    }

    fn name_of(&self, id: RecordId) -> String {
        let name = self.schema[id.object].field("Name").map(|field| self.org.value(id, field));
        let name = name.as_ref().and_then(Value::as_text).map(str::to_owned);
        name.unwrap_or_else(|| self.org.id_text(id).to_string())
    }
}
