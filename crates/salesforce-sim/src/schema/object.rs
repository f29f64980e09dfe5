//! An object of the org: its fields and its rules.

use std::ops::Index;

use super::field::{Field, Kind, Source};
use super::names::Names;
use super::{FieldId, ObjectId};
use crate::formula::Formula;
use crate::value::Value;

/// An object of the org.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) label: String,
    pub(crate) plural: String,
    /// The first three characters of the ids of its records.
    pub(crate) prefix: [u8; 3],
    /// Whether clients may insert, change and delete records of it.
    pub(crate) writable: bool,
    pub(crate) validation: Vec<ValidationRule>,
    pub(crate) duplicates: Vec<DuplicateRule>,
    pub(super) fields: Vec<Field>,
    pub(super) names: Names,
    pub(super) relationships: Names,
    pub(super) children: Vec<Child>,
    pub(super) tracked: Vec<FieldId>,
    pub(super) required: Vec<FieldId>,
    pub(super) indexed: Vec<FieldId>,
    pub(super) defaults: Box<[Value]>,
}

/// A look-up of some object that points here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Child {
    pub(crate) object: ObjectId,
    pub(crate) field: FieldId,
}

/// A record for which the formula is true is refused.
#[derive(Debug)]
pub(crate) struct ValidationRule {
    pub(crate) when: Formula,
    pub(crate) message: String,
    /// The field that the refusal names; none is the top of the page.
    pub(crate) field: Option<FieldId>,
}

/// Two records that are the same in all these fields are the same person.
#[derive(Debug)]
pub(crate) struct DuplicateRule {
    pub(crate) fields: Vec<FieldId>,
    pub(crate) action: DuplicateAction,
    pub(crate) message: String,
}

/// What a duplicate rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DuplicateAction {
    /// The record is refused.
    Block,
    /// The record is refused unless the caller says that duplicates may be saved.
    Alert,
}

impl Object {
    /// The field of that name, in any case.
    pub(crate) fn field(&self, name: &str) -> Option<FieldId> {
        self.names.get(name).map(FieldId)
    }

    /// The look-up behind the name of a relationship, such as `Account` or `Family__r`.
    pub(crate) fn relationship(&self, name: &str) -> Option<FieldId> {
        self.relationships.get(name).map(FieldId)
    }

    /// All fields, those of the system first.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (FieldId, &Field)> {
        self.fields.iter().enumerate().map(|(at, field)| (FieldId::at(at), field))
    }

    /// The look-ups that point here.
    pub(crate) fn children(&self) -> &[Child] {
        &self.children
    }

    /// The fields whose values the history of writes keeps: external ids, then what the file tracks.
    pub(crate) fn tracked(&self) -> &[FieldId] {
        &self.tracked
    }

    /// The fields without which no record exists.
    pub(crate) fn required(&self) -> &[FieldId] {
        &self.required
    }

    /// The fields by which records are found without a scan.
    pub(crate) fn indexed(&self) -> &[FieldId] {
        &self.indexed
    }

    /// The values of a record that gives none, by slot.
    pub(crate) fn defaults(&self) -> &[Value] {
        &self.defaults
    }

    /// Whether it is one that an org made for itself.
    pub(crate) fn custom(&self) -> bool {
        self.name.ends_with("__c")
    }

    /// As refusals call the id of a record.
    pub(crate) fn id_label(&self) -> String {
        if self.custom() { "Record ID".to_owned() } else { format!("{} ID", self.label) }
    }
}

impl Index<FieldId> for Object {
    type Output = Field;

    fn index(&self, field: FieldId) -> &Field {
        &self.fields[usize::from(field.0)]
    }
}

/// The fields that every object has, in the places that [`FieldId`] names.
pub(super) fn system_fields(object_label: &str, user: ObjectId) -> Vec<Field> {
    use super::field::{OnDelete, Reference};
    let user = |relationship: &str| {
        Kind::Reference(Reference {
            to: vec![user],
            relationship: relationship.to_owned(),
            on_delete: OnDelete::Clear,
        })
    };
    let fields = [
        ("Id", format!("{object_label} ID"), Kind::Id),
        ("IsDeleted", "Deleted".to_owned(), Kind::Boolean),
        ("CreatedDate", "Created Date".to_owned(), Kind::DateTime),
        ("CreatedById", "Created By ID".to_owned(), user("CreatedBy")),
        ("LastModifiedDate", "Last Modified Date".to_owned(), Kind::DateTime),
        ("LastModifiedById", "Last Modified By ID".to_owned(), user("LastModifiedBy")),
        ("SystemModstamp", "System Modstamp".to_owned(), Kind::DateTime),
    ];
    let field = |(name, label, kind): (&str, String, Kind)| Field {
        name: name.into(),
        label,
        kind,
        required: false,
        unique: false,
        external_id: false,
        case_sensitive: false,
        default: Value::Null,
        source: Source::Org,
    };
    fields.map(field).into()
}
