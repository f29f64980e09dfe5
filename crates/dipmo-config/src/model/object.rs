//! How records of an object of Salesforce are made.

use serde_json::Value;

use crate::node::{Kind, Node};
use crate::read::{choice, section, words};
use crate::schema::Schemas;
use crate::{
    Lower, Map, Name, OneOrMany, Problems, Read, Spanned, Template, Upper, ValueExpr, Yes,
};

section! {
    /// How records of an object are made of what is delivered to it.
    pub struct Object("a mapping") {
        /// The external id field by which records are upserted. It gets the record key, or the aggregate.
        #[example("ExternalId__c")]
        external_id: Name,
        /// Where the values come from. Defaults to payload.
        from: Option<Origin>,
        /// The fields of the object, without the external id, and what each is filled with. A parent is named
        /// by its external id, such as `Family__r.ExternalId__c`.
        #[example({"FirstName": "FIRST_NAME", "Family__r.ExternalId__c": "FAMILY_ID"})]
        fields: Map<Spanned<FieldOrigin>, Name>,
        /// Whether a delivery is the whole record or a change of it. Defaults to full.
        state: Option<Spanned<RecordState>>,
        /// What becomes of a record that is not found. Defaults to fail.
        when_missing: Option<Spanned<Missing>>,
        /// Event types that mean that the record is to be deleted, whatever they carry.
        deletes: OneOrMany<Name>,
        /// A text field of the org that gets the id of the unit. Defaults to none.
        #[example("Outbox_Row_Id__c")]
        correlation: Option<Name>,
        /// Objects whose records are written with each of these, all or nothing, by their API names.
        children: Map<Child, Name>,
    }
}

/// Where the values of a record come from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// The event carries them, and the payload is the record.
    Payload,
    /// As a section says.
    Section(Box<From>),
}

impl Read for Origin {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.kind {
            Kind::Scalar(scalar) if scalar.text == "payload" => Some(Self::Payload),
            _ => From::read(node, problems).map(|from| Self::Section(Box::new(from))),
        }
    }

    fn schema(schemas: &mut Schemas) -> Value {
        let section = From::schema(schemas);
        serde_json::json!({ "anyOf": [{ "const": "payload" }, section] })
    }
}

section! {
    /// Where the values of a record come from: a table or a query that is read just before sending, or the
    /// payload.
    pub struct From("the origin of a record") one_of ["table", "query", "records"] {
        /// The table that has them.
        table: Option<Upper>,
        /// The query that tells them, by its name under `queries`. Its one parameter is the record key.
        query: Option<Lower>,
        /// The column that has the record key.
        by: Option<Upper>,
        /// The column that counts the versions of a row.
        version: Option<Upper>,
        /// A JSON pointer to the version that the event announces; a row that is older is not sent. Defaults to
        /// /asOfVersion, where there is a version.
        #[example("/asOfVersion")]
        as_of: Option<Template>,
        /// The payload has them: a JSON pointer to an object with a record for each record key.
        #[example("/members")]
        records: Option<Template>,
    }
}

words! {
    /// Whether a delivery is the whole record or a change of it.
    pub enum RecordState("a state of a delivery") {
        /// The whole record: only the newest is sent, and a value that is not there makes its field empty.
        Full = "full",
        /// A change: each is sent, and a value that is not there leaves its field as it is.
        Partial = "partial",
    }
}

words! {
    /// What becomes of a record that is not found.
    pub enum Missing("an answer to a missing record") {
        /// It counts as delivered; nothing is sent.
        Skip = "skip",
        /// It is deleted in Salesforce.
        Delete = "delete",
        /// It fails with `hydration-missing`.
        Fail = "fail",
    }
}

section! {
    /// Records of another object that are written with their parent, all or nothing.
    pub struct Child("a child") {
        /// The external id field by which they are upserted.
        external_id: Name,
        /// The look-up field that gets the id of the parent.
        #[example("Family__c")]
        parent: Name,
        /// Where they come from.
        from: ChildFrom,
        /// The fields, without the external id and the look-up.
        fields: Map<Spanned<FieldOrigin>, Name>,
    }
}

section! {
    /// Where the children of a record come from: a table, or a list in the payload.
    pub struct ChildFrom("the origin of children") one_of ["table", "items"] {
        /// The table that has them.
        table: Option<Upper>,
        /// The column that has the key of the parent.
        by: Option<Upper>,
        /// A JSON pointer to the list in the record of the parent.
        #[example("/blocks")]
        items: Option<Template>,
        /// The column that has the key of the child; of a list, a JSON pointer inside each item.
        #[example("BLOCK_ID")]
        key: Template,
    }
}

/// What a field is filled with.
#[derive(Clone, Debug)]
pub enum FieldOrigin {
    /// A column of the row that was read.
    Column(String),
    /// A JSON pointer into the record that the payload carries.
    Pointer(String),
    /// As a word or a map says.
    Other(OtherOrigin),
}

choice! {
    /// What a field is filled with that is neither a column nor in the payload.
    pub enum OtherOrigin("an origin of a field", "constant: …") {
        /// The record key, or the aggregate where the intent names no records.
        RecordKey(Yes) = "record_key",
        /// AGGREGATE_ID.
        AggregateId(Yes) = "aggregate_id",
        /// Always the same value.
        Constant(ValueExpr) = "constant",
    }
}

impl Read for FieldOrigin {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.kind {
            Kind::Scalar(scalar) if scalar.text.starts_with('/') => {
                Some(Self::Pointer(scalar.text.clone()))
            }
            Kind::Scalar(scalar) if !scalar.text.starts_with(|c: char| c.is_ascii_lowercase()) => {
                Upper::read(node, problems).map(|name| Self::Column(name.as_str().to_owned()))
            }
            _ => OtherOrigin::read(node, problems).map(Self::Other),
        }
    }

    fn schema(schemas: &mut Schemas) -> Value {
        let other = OtherOrigin::schema(schemas);
        serde_json::json!({
            "anyOf": [
                { "type": "string", "pattern": "^(/.*|[A-Z][A-Z0-9_]{0,62})$" },
                other,
            ],
        })
    }
}
