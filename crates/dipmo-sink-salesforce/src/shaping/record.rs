//! One record: its key and its fields.

use dipmo_outbox::Delivery;
use dipmo_salesforce::Fields;
use serde_json::Value as Json;

use super::{Values, cell};
use crate::error::SinkError;
use crate::mapping::field::{lookup_field, parent};
use crate::mapping::{FieldMapping, ObjectMapping, Origin, State, key_of};

/// The longest external id that Salesforce has a field for, in characters.
const MAX_KEY: usize = 255;

/// A record as it is to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shaped {
    /// The external id.
    pub(crate) key: String,
    /// The fields by the names of their columns, without the external id; a parent stands there
    /// under `Family__r.ExternalId__c`. What is not there is left as it is.
    pub(crate) fields: Fields,
    /// The version of the row that it was made of.
    pub(crate) version: Option<i64>,
    /// Whether it is the whole record.
    pub(crate) full: bool,
    /// What is written with it, all or nothing.
    pub(crate) children: Vec<ShapedChild>,
}

/// A record that is written with its parent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShapedChild {
    /// Which of the children's mappings it was made by.
    pub(crate) mapping: usize,
    /// The external id.
    pub(crate) key: String,
    /// As those of the parent.
    pub(crate) fields: Fields,
}

impl Shaped {
    /// The fields as REST wants them: a parent is an object, and one that is not there empties the
    /// look-up.
    pub(crate) fn rest(&self) -> Fields {
        rest(&self.fields)
    }

    /// The key of the parent that a column names.
    pub(crate) fn parent(&self, column: &str) -> Option<&str> {
        self.fields.get(column)?.as_str()
    }
}

impl ShapedChild {
    /// As [`Shaped::rest`].
    pub(crate) fn rest(&self) -> Fields {
        rest(&self.fields)
    }
}

fn rest(fields: &Fields) -> Fields {
    let field = |(name, value): (&String, &Json)| match parent(name) {
        None => (name.clone(), value.clone()),
        Some((relationship, _)) if value.is_null() => (lookup_field(relationship), Json::Null),
        Some((relationship, key)) => {
            let by = Fields::from_iter([(key.to_owned(), value.clone())]);
            (relationship.to_owned(), Json::Object(by))
        }
    };
    fields.iter().map(field).collect()
}

/// Makes the record of a delivery.
pub(super) fn make(
    mapping: &ObjectMapping,
    delivery: &Delivery,
    values: Values<'_>,
    version: Option<i64>,
) -> Result<Shaped, SinkError> {
    let key = key_of(delivery);
    let about = About { delivery, key, state: mapping.state };
    let mut fields = about.fields(&mapping.fields, values)?;
    if let Some(correlation) = &mapping.correlation {
        fields.insert(correlation.clone(), Json::String(delivery.unit.0.to_string()));
    }
    let (key, full) = (key.to_owned(), mapping.is_full());
    Ok(Shaped { key, fields, version, full, children: Vec::new() })
}

/// What a record is about.
pub(super) struct About<'a> {
    pub(super) delivery: &'a Delivery,
    pub(super) key: &'a str,
    pub(super) state: State,
}

impl About<'_> {
    /// The values of all fields.
    pub(super) fn fields(
        &self,
        mappings: &[FieldMapping],
        values: Values<'_>,
    ) -> Result<Fields, SinkError> {
        let mut fields = Fields::new();
        for FieldMapping { field, from } in mappings {
            if let Some(value) = self.value(field, from, values)? {
                fields.insert(field.clone(), value);
            }
        }
        Ok(fields)
    }

    fn value(
        &self,
        field: &str,
        from: &Origin,
        values: Values<'_>,
    ) -> Result<Option<Json>, SinkError> {
        let found = match from {
            Origin::Column(name) => values.row.and_then(|row| row.get(name)).map(cell::of_column),
            Origin::Pointer(pointer) => {
                values.document.and_then(|document| document.pointer(pointer)).cloned()
            }
            Origin::RecordKey => Some(Json::from(self.key)),
            Origin::AggregateId => Some(Json::from(self.delivery.aggregate_id.as_str())),
            Origin::Constant(value) => Some(value.clone()),
        };
        match found {
            Some(Json::Object(_) | Json::Array(_)) => {
                let problem = "a field holds one value, and here is a list or an object";
                Err(SinkError::value_unfit(&self.delivery.destination, field, problem))
            }
            None if self.state == State::Full => Ok(Some(Json::Null)),
            found => Ok(found),
        }
    }
}

/// Refuses what can be no external id.
pub(super) fn check_key(delivery: &Delivery, field: &str, key: &str) -> Result<(), SinkError> {
    let problem = if key.trim().is_empty() {
        "the record key is empty".to_owned()
    } else if matches!(key, "." | "..") {
        "the record key can be in no URL".to_owned()
    } else if key.chars().count() > MAX_KEY {
        format!("the record key is longer than {MAX_KEY} characters")
    } else {
        return Ok(());
    };
    Err(SinkError::value_unfit(&delivery.destination, field, problem))
}

impl ObjectMapping {
    /// Whether a field is filled from the payload.
    pub(crate) fn reads_payload(&self) -> bool {
        self.fields.iter().any(|mapping| matches!(mapping.from, Origin::Pointer(_)))
    }

    /// Whether a field is filled from the event, so that two events about one record may say
    /// different things although both read the same row: one member may be named by two families.
    pub(crate) fn reads_event(&self) -> bool {
        let from_event = |mapping: &FieldMapping| {
            matches!(mapping.from, Origin::Pointer(_) | Origin::AggregateId)
        };
        self.fields.iter().any(from_event)
    }
}
