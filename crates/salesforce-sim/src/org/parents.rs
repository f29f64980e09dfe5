//! Look-ups: a parent given by its id, or by an external id of its own.

use serde_json::{Map, Value as Json};

use super::Org;
use super::accept;
use super::id::{IdText, RecordId};
use crate::refusal::{Refusal, shown};
use crate::schema::{Field, FieldId, ObjectId};
use crate::value::Value;

/// A look-up whose parent is given by this field of the parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ParentKey {
    pub(crate) field: FieldId,
    pub(crate) parent: ObjectId,
    pub(crate) key: FieldId,
}

impl Org {
    /// Refuses an id that is of another object or of no record.
    pub(super) fn check_parent(&self, field: &Field, id: &str) -> Result<(), Refusal> {
        let Some(reference) = field.reference() else { return Ok(()) };
        let text = IdText::parse(id);
        let object = text.and_then(|text| self.schema.object_of_prefix(text.prefix()));
        if !object.is_some_and(|object| reference.to.contains(&object)) {
            let words = format!("id value of incorrect type: {id}");
            return Err(accept::refuse("FIELD_INTEGRITY_EXCEPTION", field, &words));
        }
        let record = text.and_then(|text| self.record_of(text));
        match record.and_then(|id| self.record(id)) {
            Some(record) if record.is_live() => Ok(()),
            Some(_) => Err(Refusal::of_record("ENTITY_IS_DELETED", "entity is deleted")),
            None => {
                let message = format!("insufficient access rights on cross-reference id: {id}");
                Err(Refusal::of_record("INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY", message))
            }
        }
    }

    /// The parent that has this value in its external id.
    ///
    /// The rows of one job cannot refer to each other: a parent that this job made is not there yet.
    pub(super) fn parent_by_key(
        &self,
        key: ParentKey,
        text: &str,
        job: Option<&str>,
    ) -> Result<RecordId, Refusal> {
        let object = &self.schema[key.parent];
        let definition = &object[key.key];
        let mut found = if key.key == FieldId::ID {
            let record = self.record_id(text).filter(|id| id.object == key.parent);
            record.into_iter().collect()
        } else {
            let value = accept::from_text(definition, text)?;
            self.find(key.parent, key.key, &value).unwrap_or_default()
        };
        if job.is_some() {
            found.retain(|&parent| self.maker(parent) != job);
        }
        match found[..] {
            [parent] => Ok(parent),
            [] => Err(Refusal::of_record(
                "INVALID_FIELD",
                format!(
                    "Foreign key external ID: {} not found for field {} in entity {}",
                    shown(text),
                    definition.name,
                    object.name
                ),
            )),
            [..] => Err(self.several(definition, &found)),
        }
    }

    /// The look-up that `"Account": {"ExternalId__c": "A-1"}` means, and the value of its key.
    pub(super) fn nested_parent(
        &self,
        child: ObjectId,
        relationship: FieldId,
        given: &Map<String, Json>,
    ) -> Result<(ParentKey, String), Refusal> {
        let name = &self.schema[child][relationship].name;
        let reference = self.schema[child][relationship].reference();
        let parents = reference.map(|reference| reference.to.as_slice()).unwrap_or_default();
        let named = given.get("attributes").and_then(|attributes| attributes["type"].as_str());
        let named = named
            .and_then(|name| self.schema.object(name))
            .filter(|object| parents.contains(object));
        let Some(parent) = named.or_else(|| parents.first().copied()) else {
            return Err(no_such_column(&self.schema[child].name, name));
        };
        let object = &self.schema[parent];
        let mut members = given.iter().filter(|(name, _)| *name != "attributes");
        let (Some((name, value)), None) = (members.next(), members.next()) else {
            let message = format!("{} must be given by exactly one external ID field", object.name);
            return Err(Refusal::new("INVALID_FIELD", message));
        };
        let key = object.field(name).ok_or_else(|| no_such_column(&object.name, name))?;
        if key != FieldId::ID && !object[key].external_id {
            return Err(no_external_id(name, &object.name));
        }
        let text = match value {
            Json::String(text) => text.clone(),
            Json::Number(number) => number.to_string(),
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => {
                return Err(accept::from_json(&object[key], value, &|| 1).err().unwrap_or_else(
                    || {
                        Refusal::new("INVALID_FIELD", format!("{name} not specified"))
                            .about([name.as_str()])
                    },
                ));
            }
        };
        Ok((ParentKey { field: relationship, parent, key }, text))
    }

    /// The job that made the record.
    fn maker(&self, id: RecordId) -> Option<&str> {
        self.record(id)?.history.first()?.job.as_deref()
    }

    /// More than one record has this external id.
    pub(super) fn several(&self, field: &Field, found: &[RecordId]) -> Refusal {
        let ids: Vec<_> = found.iter().map(|&id| self.id_text(id).to_string()).collect();
        let words =
            format!("more than one record found for external id field: [{}]", ids.join(", "));
        accept::refuse("DUPLICATE_EXTERNAL_ID", field, &words)
    }

    /// The value with which a look-up points to the record.
    pub(super) fn pointer(&self, id: RecordId) -> Value {
        Value::Text(self.id_text(id).as_str().into())
    }
}

/// The object has no such field.
pub(crate) fn no_such_column(object: &str, name: &str) -> Refusal {
    Refusal::new("INVALID_FIELD", format!("No such column '{name}' on sobject of type {object}"))
}

/// The field is no key.
pub(crate) fn no_external_id(field: &str, object: &str) -> Refusal {
    let message = format!(
        "Field name provided, {field} does not match an External ID, Salesforce Id, or indexed field for {object}"
    );
    Refusal::new("INVALID_FIELD", message)
}
