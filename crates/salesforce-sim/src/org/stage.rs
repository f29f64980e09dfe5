//! The first half of a write: everything that is given becomes values, or is refused.

use serde_json::{Map, Value as Json};

use super::accept;
use super::columns::{Column, Columns};
use super::fields::Fields;
use super::parents::{ParentKey, no_such_column};
use super::transaction::Transaction;
use super::write::Target;
use crate::refusal::Refusal;
use crate::schema::{FieldId, ObjectId};
use crate::value::Value;

/// What a cell says to make a field empty.
const NOTHING: &str = "#N/A";

/// The values that a write gives.
pub(super) type Staged = Vec<(FieldId, Value)>;

impl Transaction<'_> {
    /// Reads what is given. The key of an upsert is not among it: the target has it.
    pub(super) fn stage(
        &self,
        object: ObjectId,
        target: &Target<'_>,
        fields: &Fields<'_>,
        staged: &mut Staged,
    ) -> Result<(), Refusal> {
        staged.clear();
        match fields {
            Fields::Json(members) => self.stage_json(object, target, members, staged),
            Fields::Row { columns, cells } => {
                self.stage_row(object, target, columns, cells, staged)
            }
        }
    }

    fn stage_json(
        &self,
        object: ObjectId,
        target: &Target<'_>,
        members: &Map<String, Json>,
        staged: &mut Staged,
    ) -> Result<(), Refusal> {
        let definition = &self.schema[object];
        let mut read_only = Vec::new();
        for (name, given) in members.iter().filter(|(name, _)| *name != "attributes") {
            if let Some(field) = definition.field(name) {
                if target.names(field) {
                    continue;
                }
                check_id(field, target)?;
                if !definition[field].writable() {
                    read_only.push(definition[field].name.to_string());
                    continue;
                }
                let value =
                    accept::from_json(&definition[field], given, &|| column_of(members, name))?;
                self.put(object, field, value, staged)?;
            } else if let Some(field) = definition.relationship(name) {
                match given {
                    Json::Null => {}
                    Json::Object(given) => {
                        let (key, text) = self.org.nested_parent(object, field, given)?;
                        self.put_parent(key, &text, staged)?;
                    }
                    Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                        return Err(no_such_column(&definition.name, name));
                    }
                }
            } else {
                return Err(no_such_column(&definition.name, name));
            }
        }
        if read_only.is_empty() { Ok(()) } else { Err(not_writable(read_only)) }
    }

    fn stage_row(
        &self,
        object: ObjectId,
        target: &Target<'_>,
        columns: &Columns,
        cells: &[&str],
        staged: &mut Staged,
    ) -> Result<(), Refusal> {
        let definition = &self.schema[object];
        for (at, (column, &cell)) in columns.iter().zip(cells).enumerate() {
            // [U] Blanks alone are taken for an empty cell, as texts are trimmed anyway.
            if cell.trim().is_empty() {
                continue;
            }
            match column {
                Column::Field(field) if target.names(field) => {}
                Column::Field(field) => {
                    check_id(field, target)?;
                    let definition = &definition[field];
                    if !definition.writable() {
                        return Err(not_writable(vec![definition.name.to_string()]));
                    }
                    let value = match cell {
                        NOTHING => accept::nothing(definition)?,
                        cell => accept::from_cell(definition, cell, at)?,
                    };
                    self.put(object, field, value, staged)?;
                }
                Column::Parent(key) if cell == NOTHING => put(staged, key.field, Value::Null),
                Column::Parent(key) => self.put_parent(key, cell, staged)?,
            }
        }
        Ok(())
    }

    fn put(
        &self,
        object: ObjectId,
        field: FieldId,
        value: Value,
        staged: &mut Staged,
    ) -> Result<(), Refusal> {
        let definition = &self.schema[object][field];
        if let (Some(_), Some(id)) = (definition.reference(), value.as_text()) {
            self.org.check_parent(definition, id)?;
        }
        put(staged, field, value);
        Ok(())
    }

    fn put_parent(&self, key: ParentKey, text: &str, staged: &mut Staged) -> Result<(), Refusal> {
        let parent = self.org.parent_by_key(key, text, self.caller.job.as_deref())?;
        put(staged, key.field, self.org.pointer(parent));
        Ok(())
    }
}

/// A field that is given twice, say in two cases, is what the last one says.
fn put(staged: &mut Staged, field: FieldId, value: Value) {
    match staged.iter_mut().find(|(known, _)| *known == field) {
        Some((_, known)) => *known = value,
        None => staged.push((field, value)),
    }
}

fn check_id(field: FieldId, target: &Target<'_>) -> Result<(), Refusal> {
    match target {
        _ if field != FieldId::ID => Ok(()),
        Target::Insert => {
            let refusal = Refusal::new(
                "INVALID_FIELD_FOR_INSERT_UPDATE",
                "cannot specify Id in an insert call",
            );
            Err(refusal.about(["Id"]))
        }
        Target::Update(_) | Target::Upsert { .. } => Err(not_in_data("Id")),
    }
}

/// The field is named elsewhere and may not be in the body.
pub(crate) fn not_in_data(field: &str) -> Refusal {
    Refusal::new(
        "INVALID_FIELD",
        format!("The {field} field should not be specified in the sobject data."),
    )
}

fn not_writable(fields: Vec<String>) -> Refusal {
    let message = format!(
        "Unable to create/update fields: {}. Please check the security settings of this field and verify that it is read/write for your profile or permission set.",
        fields.join(", ")
    );
    Refusal::new("INVALID_FIELD_FOR_INSERT_UPDATE", message).about(fields)
}

/// Where a parser stands after this member of the compact form of the object. The bytes that the
/// client sent are gone by now, so this is right for those who write compact JSON in the order of
/// names, and near for the others.
fn column_of(members: &Map<String, Json>, name: &str) -> usize {
    let before = members.iter().take_while(|(member, _)| *member != name);
    let through = before.chain(members.get_key_value(name));
    1 + through.map(|(name, value)| name.len() + 4 + value.to_string().len()).sum::<usize>()
}
