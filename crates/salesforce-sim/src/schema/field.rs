//! A field of an object: what it may hold.

use std::sync::Arc;

use super::{FieldId, ObjectId};
use crate::value::Value;

/// A field of an object.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: Arc<str>,
    pub(crate) label: String,
    pub(crate) kind: Kind,
    /// An insert must give it, and no update may take it away.
    pub(crate) required: bool,
    pub(crate) unique: bool,
    pub(crate) external_id: bool,
    /// Whether `a` and `A` are different values of a unique field or an external id.
    pub(crate) case_sensitive: bool,
    pub(crate) default: Value,
    pub(crate) source: Source,
}

/// Where the value comes from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Clients write it.
    Written,
    /// The org itself keeps it; a client that gives it is refused.
    Org,
    /// Made of these fields, with blanks between, like the name of a contact; a client that gives it is refused.
    Joined(Vec<FieldId>),
}

/// What a field may hold.
#[derive(Debug)]
pub(crate) enum Kind {
    Id,
    Boolean,
    Date,
    DateTime,
    Text { form: TextForm, length: usize },
    Number { form: NumberForm, precision: u8, scale: u8 },
    Picklist { values: Vec<String>, restricted: bool, many: bool },
    Reference(Reference),
}

/// Kinds of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextForm {
    String,
    TextArea,
    Email,
    Phone,
    Url,
}

/// Kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberForm {
    Int,
    Double,
    Currency,
    Percent,
}

/// A look-up of another record.
#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) to: Vec<ObjectId>,
    /// Such as `Account` for `AccountId` and `Family__r` for `Family__c`.
    pub(crate) relationship: String,
    pub(crate) on_delete: OnDelete,
}

/// What happens to the children of a deleted parent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OnDelete {
    /// The look-up becomes empty.
    #[default]
    Clear,
    /// The parent cannot be deleted.
    Restrict,
    /// They are deleted too.
    Cascade,
}

impl Field {
    /// Whether a record can be found by it without a scan.
    pub(crate) fn indexed(&self) -> bool {
        // A deleted parent looks for its children.
        self.unique || self.external_id || (self.writable() && self.reference().is_some())
    }

    /// Whether a client may give it.
    pub(crate) fn writable(&self) -> bool {
        self.source == Source::Written
    }

    /// The look-up, if it is one.
    pub(crate) fn reference(&self) -> Option<&Reference> {
        match &self.kind {
            Kind::Reference(reference) => Some(reference),
            _ => None,
        }
    }
}

impl Kind {
    /// As describe and refusals of JSON name it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Kind::Id => "id",
            Kind::Boolean => "boolean",
            Kind::Date => "date",
            Kind::DateTime => "datetime",
            Kind::Text { form: TextForm::String, .. } => "string",
            Kind::Text { form: TextForm::TextArea, .. } => "textarea",
            Kind::Text { form: TextForm::Email, .. } => "email",
            Kind::Text { form: TextForm::Phone, .. } => "phone",
            Kind::Text { form: TextForm::Url, .. } => "url",
            Kind::Number { form: NumberForm::Int, .. } => "int",
            Kind::Number { form: NumberForm::Double, .. } => "double",
            Kind::Number { form: NumberForm::Currency, .. } => "currency",
            Kind::Number { form: NumberForm::Percent, .. } => "percent",
            Kind::Picklist { many: false, .. } => "picklist",
            Kind::Picklist { many: true, .. } => "multipicklist",
            Kind::Reference(_) => "reference",
        }
    }

    /// As describe's `soapType` and refusals of CSV name it.
    pub(crate) fn soap_name(&self) -> &'static str {
        match self {
            Kind::Id | Kind::Reference(_) => "tns:ID",
            Kind::Boolean => "xsd:boolean",
            Kind::Date => "xsd:date",
            Kind::DateTime => "xsd:dateTime",
            Kind::Number { form: NumberForm::Int, .. } => "xsd:int",
            Kind::Number { .. } => "xsd:double",
            Kind::Text { .. } | Kind::Picklist { .. } => "xsd:string",
        }
    }
}
