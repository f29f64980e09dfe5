//! Names of a query, looked up in the schema.

use super::error::at;
use super::tree::Name;
use crate::org::id::RecordId;
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;
use crate::schema::{FieldId, Kind, ObjectId, Schema, TextForm};
use crate::value::Value;

/// Salesforce follows no more parents than this.
const MAX_PARENTS: usize = 5;
/// A longer text area is a "long text area".
const MAX_SORTED_TEXT: usize = 255;

/// A field of the record, or of one of its parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// The look-ups to follow, each with the object that it leads to.
    pub(super) parents: Vec<(FieldId, ObjectId)>,
    /// The object that has the field.
    pub(super) object: ObjectId,
    pub(super) field: FieldId,
}

/// Where the names of a query are looked up.
pub(super) struct Names<'a> {
    pub(super) query: &'a str,
    pub(super) schema: &'a Schema,
    pub(super) object: ObjectId,
    pub(super) alias: Option<&'a str>,
}

impl<'a> Names<'a> {
    /// The names of a query over the object that it names.
    pub(super) fn of(
        query: &'a str,
        schema: &'a Schema,
        from: &Name,
        alias: Option<&'a str>,
    ) -> Result<Self, Refusal> {
        let Some(object) = schema.object(&from.text) else {
            let words = format!(
                "sObject type '{}' is not supported. If you are attempting to use a custom object, \
                 be sure to append the '__c' after the entity name. Please reference your WSDL or \
                 the describe call for the appropriate names.",
                from.text
            );
            return Err(at(query, from.offset, "INVALID_TYPE", words));
        };
        Ok(Names { query, schema, object, alias })
    }

    /// The field that a path leads to.
    pub(super) fn path(&self, name: &Name) -> Result<Path, Refusal> {
        let mut segments: Vec<&str> = name.text.split('.').collect();
        let field = segments.pop().unwrap_or_default();
        if segments.first().is_some_and(|first| self.is_own_name(first)) {
            segments.remove(0);
        }
        if segments.len() > MAX_PARENTS {
            let words = format!("A field path follows at most {MAX_PARENTS} relationships");
            return Err(at(self.query, name.offset, "INVALID_FIELD", words));
        }
        let mut object = self.object;
        let mut parents = Vec::with_capacity(segments.len());
        for segment in segments {
            let reference = self.schema[object].relationship(segment);
            let target = reference.and_then(|field| self.target(object, field));
            let (Some(reference), Some(target)) = (reference, target) else {
                return Err(self.no_relationship(segment, name.offset));
            };
            parents.push((reference, target));
            object = target;
        }
        match self.schema[object].field(field) {
            Some(field) => Ok(Path { parents, object, field }),
            None => Err(self.no_column(field, object, name.offset)),
        }
    }

    /// `SELECT Contact.Name FROM Contact` and `SELECT c.Name FROM Contact c` are the record's own.
    fn is_own_name(&self, segment: &str) -> bool {
        let own = &self.schema[self.object].name;
        self.alias.is_some_and(|alias| alias.eq_ignore_ascii_case(segment))
            || own.eq_ignore_ascii_case(segment)
    }

    fn target(&self, object: ObjectId, field: FieldId) -> Option<ObjectId> {
        self.schema[object][field].reference().and_then(|reference| reference.to.first().copied())
    }

    /// Long texts can be selected, but neither filtered nor sorted by.
    pub(super) fn is_long(&self, path: &Path) -> bool {
        matches!(
            self.schema[path.object][path.field].kind,
            Kind::Text { form: TextForm::TextArea, length } if length > MAX_SORTED_TEXT
        )
    }

    fn no_column(&self, field: &str, object: ObjectId, offset: usize) -> Refusal {
        let words = format!(
            "No such column '{field}' on entity '{}'. If you are attempting to use a custom field, \
             be sure to append the '__c' after the custom field name. Please reference your WSDL \
             or the describe call for the appropriate names.",
            self.schema[object].name
        );
        at(self.query, offset, "INVALID_FIELD", words)
    }

    fn no_relationship(&self, relationship: &str, offset: usize) -> Refusal {
        let words = format!(
            "Didn't understand relationship '{relationship}' in field path. If you are attempting \
             to use a custom relationship, be sure to append the '__r' after the custom \
             relationship name. Please reference your WSDL or the describe call for the \
             appropriate names."
        );
        at(self.query, offset, "INVALID_FIELD", words)
    }
}

impl Path {
    /// How much work it is to get the value: one step for each record on the way.
    pub(super) fn steps(&self) -> usize {
        1 + self.parents.len()
    }

    /// Nothing, where a look-up on the way is empty.
    pub(super) fn value(&self, tx: &Transaction<'_>, record: RecordId) -> Value {
        let mut record = record;
        for (reference, _) in &self.parents {
            match parent(tx, record, *reference) {
                Some(parent) => record = parent,
                None => return Value::Null,
            }
        }
        tx.value(record, self.field)
    }
}

/// The record that a look-up leads to.
pub(super) fn parent(
    tx: &Transaction<'_>,
    record: RecordId,
    reference: FieldId,
) -> Option<RecordId> {
    tx.value(record, reference).as_text().and_then(|id| tx.org().record_id(id))
}
