//! The rules that a record must keep: what is required, what is unique, what the org adds.

use jiff::Timestamp;

use super::Org;
use super::id::RecordId;
use super::index;
use crate::formula::Subject;
use crate::refusal::Refusal;
use crate::schema::{DuplicateAction, Field, FieldId, Kind, Object, ObjectId};
use crate::value::Value;

/// A record as it would be after the write.
pub(super) struct Draft<'a> {
    pub(super) org: &'a Org,
    pub(super) object: ObjectId,
    /// `None` is a new record.
    pub(super) id: Option<RecordId>,
    /// The values before the write, or the defaults.
    pub(super) base: &'a [Value],
    pub(super) staged: &'a [(FieldId, Value)],
    pub(super) now: Timestamp,
}

impl Draft<'_> {
    fn object(&self) -> &Object {
        &self.org.schema[self.object]
    }

    fn before(&self, field: FieldId) -> &Value {
        field.slot().and_then(|slot| self.base.get(slot)).unwrap_or(&Value::Null)
    }

    fn after(&self, field: FieldId) -> &Value {
        let staged = self.staged.iter().find(|(staged, _)| *staged == field);
        staged.map_or_else(|| self.before(field), |(_, value)| value)
    }

    fn is_staged(&self, field: FieldId) -> bool {
        self.staged.iter().any(|(staged, _)| *staged == field)
    }

    pub(super) fn check_required(&self) -> Result<(), Refusal> {
        let object = self.object();
        // An update answers only for what it gives.
        let asked = |field: &&FieldId| self.id.is_none() || self.is_staged(**field);
        let missing =
            object.required().iter().filter(asked).filter(|field| self.after(**field).is_blank());
        let missing: Vec<&str> = missing.map(|&field| &*object[field].name).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let message = format!("Required fields are missing: [{}]", missing.join(", "));
        Err(Refusal::new("REQUIRED_FIELD_MISSING", message).about(missing))
    }

    pub(super) fn check_unique(&self) -> Result<(), Refusal> {
        for (field, value) in self.staged {
            let definition = &self.object()[*field];
            if !definition.unique || value.is_blank() {
                continue;
            }
            let found = self.org.table(self.object).find(*field, value);
            let other = found.and_then(|mut found| found.find(|&serial| !self.is(serial)));
            if let Some(serial) = other {
                let id = self.org.id_text(RecordId { object: self.object, serial });
                let name = &definition.name;
                let message = format!(
                    "duplicate value found: {name} duplicates value on record with id: {id}"
                );
                return Err(Refusal::of_record("DUPLICATE_VALUE", message));
            }
        }
        Ok(())
    }

    pub(super) fn check_validation(&self) -> Result<(), Refusal> {
        for rule in &self.object().validation {
            if rule.when.holds(self) {
                let refusal =
                    Refusal::new("FIELD_CUSTOM_VALIDATION_EXCEPTION", rule.message.as_str());
                return Err(refusal.about(rule.field.map(|field| &*self.object()[field].name)));
            }
        }
        Ok(())
    }

    pub(super) fn check_duplicates(&self, allowed: bool) -> Result<(), Refusal> {
        for rule in &self.object().duplicates {
            let waived = allowed && rule.action == DuplicateAction::Alert;
            let concerned = rule.fields.iter().any(|&field| self.is_staged(field));
            if !waived && concerned && self.has_duplicate(&rule.fields) {
                return Err(Refusal::of_record("DUPLICATES_DETECTED", rule.message.as_str()));
            }
        }
        Ok(())
    }

    /// Whether another record is the same in all these fields. A blank is like nothing.
    fn has_duplicate(&self, fields: &[FieldId]) -> bool {
        let Some(&first) = fields.first() else { return false };
        if fields.iter().any(|&field| self.after(field).is_blank()) {
            return false;
        }
        let table = self.org.table(self.object);
        let alike = |serial: u32| {
            let values = table.get(serial).map(|record| &record.values);
            fields.iter().all(|&field| {
                let other = values.and_then(|values| values.get(field.slot()?));
                other.is_some_and(|other| index::same(self.after(field), other, false))
            })
        };
        // The first field of a rule always has an index.
        let found = table.find(first, self.after(first));
        found.is_some_and(|mut found| found.any(|serial| !self.is(serial) && alike(serial)))
    }

    fn is(&self, serial: u32) -> bool {
        self.id.is_some_and(|id| id.serial == serial)
    }

    /// The value of a name in a formula: a field, or one of a parent's.
    fn by_name(&self, name: &str, value: impl Fn(FieldId) -> Value) -> Value {
        let object = self.object();
        if let Some(field) = object.field(name) {
            let held =
                self.org.computed(self.object, field, &value).unwrap_or_else(|| value(field));
            return in_formula(&object[field], held);
        }
        let Some((relationship, name)) = name.split_once('.') else { return Value::Null };
        let parent = object.relationship(relationship).map(value);
        let Some(parent) = parent.and_then(|id| self.org.record_id(id.as_text()?)) else {
            return Value::Null;
        };
        let object = &self.org.schema[parent.object];
        let field = object.field(name);
        field.map_or(Value::Null, |field| in_formula(&object[field], self.org.value(parent, field)))
    }

    /// What the org itself keeps of the record, before a write gives it anew.
    fn kept(&self, field: FieldId) -> Value {
        match self.id {
            Some(id) if field.slot().is_none() => self.org.value(id, field),
            Some(_) | None => Value::Null,
        }
    }
}

impl Subject for Draft<'_> {
    fn value(&self, field: &str) -> Value {
        self.by_name(field, |field| match field.slot() {
            Some(_) => self.after(field).clone(),
            None => self.kept(field),
        })
    }

    fn prior(&self, field: &str) -> Option<Value> {
        self.id?;
        Some(self.by_name(field, |field| match field.slot() {
            Some(_) => self.before(field).clone(),
            None => self.kept(field),
        }))
    }

    fn is_new(&self) -> bool {
        self.id.is_none()
    }

    fn now(&self) -> Timestamp {
        self.now
    }
}

/// To a formula a text is never null.
fn in_formula(field: &Field, value: Value) -> Value {
    match (&value, &field.kind) {
        (
            Value::Null,
            Kind::Text { .. } | Kind::Picklist { .. } | Kind::Id | Kind::Reference(_),
        ) => Value::Text("".into()),
        _ => value,
    }
}
