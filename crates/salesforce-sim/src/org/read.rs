//! Reading: the value of any field, as it is kept and as REST writes it.

use serde_json::Value as Json;

use super::Org;
use super::id::{IdText, RecordId};
use super::transaction::Transaction;
use crate::datetime;
use crate::refusal::{Refusal, shown};
use crate::schema::{FieldId, Kind, NumberForm, ObjectId, Source};
use crate::value::Value;

impl Org {
    /// The value of a field of the record, those of the system too.
    pub(crate) fn value(&self, id: RecordId, field: FieldId) -> Value {
        let Some(record) = self.record(id) else { return Value::Null };
        let user = |serial| {
            let user = RecordId { object: self.first_user().object, serial };
            Value::Text(self.id_text(user).as_str().into())
        };
        let kept = |field: FieldId| match field {
            FieldId::ID => Value::Text(self.id_text(id).as_str().into()),
            FieldId::IS_DELETED => Value::Bool(!record.is_live()),
            FieldId::CREATED_DATE => Value::Text(datetime::write(record.created.at).into()),
            FieldId::CREATED_BY => user(record.created.by),
            FieldId::MODIFIED_DATE | FieldId::MODSTAMP => {
                Value::Text(datetime::write(record.modified.at).into())
            }
            FieldId::MODIFIED_BY => user(record.modified.by),
            field => {
                field.slot().and_then(|slot| record.values.get(slot)).cloned().unwrap_or_default()
            }
        };
        self.computed(id.object, field, &kept).unwrap_or_else(|| kept(field))
    }

    /// The value of a field that is made of others; `None` if it is not.
    pub(super) fn computed(
        &self,
        object: ObjectId,
        field: FieldId,
        value: &dyn Fn(FieldId) -> Value,
    ) -> Option<Value> {
        let Source::Joined(parts) = &self.schema[object][field].source else { return None };
        let parts = parts.iter().map(|&part| value(part));
        let words: Vec<_> = parts.filter_map(|part| part.as_text().map(str::to_owned)).collect();
        Some(if words.is_empty() { Value::Null } else { Value::Text(words.join(" ").into()) })
    }

    /// The value as REST writes it.
    pub(crate) fn json(&self, id: RecordId, field: FieldId) -> Json {
        match self.value(id, field) {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(value),
            Value::Text(text) => Json::String(text.to_string()),
            Value::Number(number) => match self.schema[id.object][field].kind {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "an int has at most 18 digits and no fraction"
                )]
                Kind::Number { form: NumberForm::Int, .. } => Json::from(number as i64),
                _ => Json::from(number),
            },
        }
    }
}

impl Transaction<'_> {
    /// The live records of the object.
    pub(crate) fn scan(&self, object: ObjectId) -> impl Iterator<Item = RecordId> {
        let live = self.org.records(object).filter(|(_, record)| record.is_live());
        live.map(|(id, _)| id)
    }

    /// The records of the object, those in the recycle bin too.
    pub(crate) fn scan_all(&self, object: ObjectId) -> impl Iterator<Item = RecordId> {
        use super::record::State;
        let kept = self.org.records(object).filter(|(_, record)| record.state != State::Erased);
        kept.map(|(id, _)| id)
    }

    /// The live records with that value; `None` if only a scan could tell.
    pub(crate) fn find(
        &self,
        object: ObjectId,
        field: FieldId,
        value: &Value,
    ) -> Option<Vec<RecordId>> {
        self.org.find(object, field, value)
    }

    /// The value of a field of the record, those of the system too.
    pub(crate) fn value(&self, id: RecordId, field: FieldId) -> Value {
        self.org.value(id, field)
    }

    /// The value as REST writes it.
    pub(crate) fn json(&self, id: RecordId, field: FieldId) -> Json {
        self.org.json(id, field)
    }

    /// The id of the record.
    pub(crate) fn id_text(&self, id: RecordId) -> IdText {
        self.org.id_text(id)
    }

    /// The live record of the object that has this id.
    pub(crate) fn resolve(&self, object: ObjectId, text: &str) -> Result<RecordId, Refusal> {
        let id = IdText::parse(text).filter(|id| id.prefix() == self.schema[object].prefix);
        let Some(id) = id else {
            let message = format!(
                "{}: id value of incorrect type: {}",
                self.schema[object].id_label(),
                shown(text)
            );
            return Err(Refusal::new("MALFORMED_ID", message).about(["Id"]));
        };
        self.org.record_of(id).ok_or_else(unknown_record).and_then(|id| self.live(id))
    }

    /// The live record of any object that has this id.
    pub(crate) fn resolve_any(&self, text: &str) -> Result<RecordId, Refusal> {
        let id = IdText::parse(text);
        let Some(object) = id.and_then(|id| self.schema.object_of_prefix(id.prefix())) else {
            return Err(Refusal::of_record(
                "MALFORMED_ID",
                format!("malformed id {}", shown(text)),
            ));
        };
        self.resolve(object, text)
    }

    /// The record, unless it was deleted.
    pub(super) fn live(&self, id: RecordId) -> Result<RecordId, Refusal> {
        use super::record::State;
        match self.org.record(id).map(|record| record.state) {
            Some(State::Live) => Ok(id),
            Some(State::Deleted) => {
                Err(Refusal::of_record("ENTITY_IS_DELETED", "entity is deleted").with_status(404))
            }
            Some(State::Erased) | None => Err(unknown_record()),
        }
    }
}

fn unknown_record() -> Refusal {
    Refusal::of_record("INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id").with_status(404)
}
