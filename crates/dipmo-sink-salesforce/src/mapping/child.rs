//! Records that are written together with their parent.

use dipmo_api::FactDefinition;

use super::{FieldMapping, Origin};

/// Records of another object that are written with their parent, all or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildMapping {
    /// The API name, such as `Contact`.
    pub object: String,
    /// The external id field by which they are upserted.
    pub external_id: String,
    /// The look-up field that gets the id of the parent, such as `Family__c`.
    pub parent: String,
    /// Where they come from.
    pub source: ChildSource,
    /// The fields, without the external id and the look-up. `RecordKey` is the key of the child.
    pub fields: Vec<FieldMapping>,
}

/// Where the children of a record come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChildSource {
    /// The record of the parent, as the payload carries it, has a list of them.
    Payload {
        /// A JSON pointer to the list; none there means no children.
        items: String,
        /// A JSON pointer to the key inside each of them.
        key: String,
    },
    /// A table or a query has them, by the key of their parent.
    Table {
        /// The table, and the column that has the key of the parent; or the query, which has one
        /// parameter, that key, and the column of its result that has it again.
        fact: FactDefinition,
        /// The column that has the key of the child.
        key: &'static str,
    },
}

impl ChildMapping {
    /// A mapping without fields.
    #[must_use]
    pub fn new(object: &str, external_id: &str, parent: &str, source: ChildSource) -> Self {
        Self {
            object: object.to_owned(),
            external_id: external_id.to_owned(),
            parent: parent.to_owned(),
            source,
            fields: Vec::new(),
        }
    }

    /// Fills a field.
    #[must_use]
    pub fn field(mut self, field: &str, from: Origin) -> Self {
        self.fields.push(FieldMapping::new(field, from));
        self
    }
}
