//! Rows that a test wants to be refused.

use super::transaction::Transaction;
use super::write::Target;
use crate::refusal::Refusal;
use crate::schema::ObjectId;

impl Transaction<'_> {
    /// Refuses the row if a rule is about it. It is asked last, so that a row which is refused
    /// anyway does not use the rule up.
    pub(super) fn check_faults(
        &self,
        object: ObjectId,
        target: &Target<'_>,
    ) -> Result<(), Refusal> {
        let Some(faults) = &self.caller.faults else { return Ok(()) };
        let name = &self.schema[object].name;
        let refusal = match *target {
            Target::Insert => faults.refuse(name, ""),
            Target::Update(id) => faults.refuse(name, self.id_text(id).as_str()),
            Target::Upsert { value, .. } => faults.refuse(name, value),
        };
        refusal.map_or(Ok(()), Err)
    }
}
