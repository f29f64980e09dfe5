//! The header of a bulk upload: which field each column is.

use super::parents::ParentKey;
use crate::schema::{FieldId, ObjectId, Schema};

/// What the columns of an upload are.
#[derive(Debug)]
pub(crate) struct Columns {
    columns: Vec<Column>,
}

/// What one column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Field(FieldId),
    /// A parent by its external id, such as `Account.ExternalId__c`.
    Parent(ParentKey),
}

/// A column that the object does not have, or that names a parent wrongly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ColumnError {
    /// No field has this name.
    Unknown(String),
    /// No look-up has this relationship, which stands before a dot.
    UnknownRelationship(String),
    /// A type before a colon, though this relationship has one type only.
    TypeNotNeeded(String),
}

impl Columns {
    /// Reads the names of the columns.
    pub(crate) fn parse<S: AsRef<str>>(
        schema: &Schema,
        object: ObjectId,
        names: &[S],
    ) -> Result<Self, ColumnError> {
        let columns = names.iter().map(|name| column(schema, object, name.as_ref()));
        Ok(Columns { columns: columns.collect::<Result<_, _>>()? })
    }

    /// Where the field stands.
    pub(crate) fn position(&self, field: FieldId) -> Option<usize> {
        self.columns.iter().position(|column| *column == Column::Field(field))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Column> {
        self.columns.iter().copied()
    }
}

fn column(schema: &Schema, object: ObjectId, name: &str) -> Result<Column, ColumnError> {
    let definition = &schema[object];
    if let Some(field) = definition.field(name) {
        return Ok(Column::Field(field));
    }
    let unknown = || ColumnError::Unknown(name.to_owned());
    let (path, key) = name.split_once('.').ok_or_else(unknown)?;
    // `Account:Owner.ExternalId__c` says which of several objects is meant.
    let (named, relationship) = match path.split_once(':') {
        Some((named, relationship)) => (Some(named), relationship),
        None => (None, path),
    };
    let field = definition.relationship(relationship);
    let reference =
        field.and_then(|field| definition[field].reference().map(|reference| (field, reference)));
    let (field, reference) =
        reference.ok_or_else(|| ColumnError::UnknownRelationship(relationship.to_owned()))?;
    let parent = match (named, &reference.to[..]) {
        (Some(_), [_]) => return Err(ColumnError::TypeNotNeeded(relationship.to_owned())),
        (Some(named), to) => schema.object(named).filter(|object| to.contains(object)),
        (None, to) => to.first().copied(),
    };
    let parent = parent.ok_or_else(unknown)?;
    let key = schema[parent].field(key).ok_or_else(unknown)?;
    if key == FieldId::ID || schema[parent][key].external_id {
        Ok(Column::Parent(ParentKey { field, parent, key }))
    } else {
        Err(unknown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_names_fields_and_parents() {
        let schema = Schema::standard().unwrap();
        let contact = schema.object("Contact").unwrap();
        let names = ["Id", "externalid__c", "Account.ExternalId__c", "Family__r.ExternalId__c"];
        let columns = Columns::parse(&schema, contact, &names).unwrap();
        assert_eq!(columns.position(schema[contact].field("ExternalId__c").unwrap()), Some(1));
        assert_eq!(columns.position(FieldId::ID), Some(0));
        let error = |name: &str| Columns::parse(&schema, contact, &["LastName", name]).unwrap_err();
        for name in ["OutboxRowId", "\u{feff}LastName", "", "Account.Industry", "Account."] {
            assert_eq!(error(name), ColumnError::Unknown(name.to_owned()));
        }
        let relationship = "Nobody".to_owned();
        assert_eq!(error("Nobody.ExternalId__c"), ColumnError::UnknownRelationship(relationship));
        let relationship = "Account".to_owned();
        assert_eq!(
            error("Account:Account.ExternalId__c"),
            ColumnError::TypeNotNeeded(relationship)
        );
    }
}
