//! What can be told to be wrong with a mapping before anything is sent.

use dipmo_api::sql::ValueKind;
use dipmo_api::{FactDefinition, FactSource};

use super::{ChildMapping, ChildSource, FieldMapping, ObjectMapping, Origin, Source, pointer};
use crate::error::SinkError;

/// Finds the first thing that is wrong with a mapping.
pub(crate) fn mapping(mapping: &ObjectMapping) -> Result<(), SinkError> {
    let object = &mapping.object;
    name(object).map_err(|problem| invalid(object, "", problem))?;
    source(mapping)?;
    let table = match &mapping.source {
        Source::Payload { .. } => None,
        Source::Table { fact, .. } => Some(fact),
    };
    fields(object, &mapping.external_id, &mapping.fields, table)?;
    if let Some(field) = &mapping.correlation {
        name(field).map_err(|problem| invalid(object, field, problem))?;
        if mapping.columns().iter().filter(|column| *column == field).count() > 1 {
            return Err(invalid(object, field, "it is filled twice".to_owned()));
        }
    }
    mapping.children.iter().try_for_each(|it| child(mapping, it))
}

fn source(mapping: &ObjectMapping) -> Result<(), SinkError> {
    let object = &mapping.object;
    match &mapping.source {
        Source::Payload { records } => check_pointer(object, "", records.as_deref()),
        Source::Table { fact, version, as_of } => {
            key_column(object, fact)?;
            if let Some(version) = version {
                number(object, fact, version)?;
            }
            if as_of.is_some() && version.is_none() {
                let problem = "as_of needs a version column to be compared with".to_owned();
                return Err(invalid(object, "", problem));
            }
            check_pointer(object, "", as_of.as_deref())
        }
    }
}

fn child(parent: &ObjectMapping, child: &ChildMapping) -> Result<(), SinkError> {
    let object = &child.object;
    name(object).map_err(|problem| invalid(object, "", problem))?;
    name(&child.parent).map_err(|problem| invalid(object, &child.parent, problem))?;
    let table = match &child.source {
        ChildSource::Payload { items, key } => {
            check_pointer(object, "", Some(items))?;
            check_pointer(object, &child.external_id, Some(key))?;
            if matches!(parent.source, Source::Table { .. }) {
                let problem = "its parent is read from a table, so it must be too".to_owned();
                return Err(invalid(object, "", problem));
            }
            None
        }
        ChildSource::Table { fact, key } => {
            key_column(object, fact)?;
            column(object, &child.external_id, fact, key)?;
            Some(fact)
        }
    };
    if child.fields.iter().any(|field| field.field == child.parent) {
        return Err(invalid(object, &child.parent, "it is filled twice".to_owned()));
    }
    fields(object, &child.external_id, &child.fields, table)
}

fn fields(
    object: &str,
    external_id: &str,
    fields: &[FieldMapping],
    table: Option<&FactDefinition>,
) -> Result<(), SinkError> {
    name(external_id).map_err(|problem| invalid(object, external_id, problem))?;
    let mut seen = vec![external_id];
    for FieldMapping { field, from } in fields {
        let bad = |problem| invalid(object, field, problem);
        field.splitn(2, '.').try_for_each(name).map_err(bad)?;
        if seen.contains(&field.as_str()) {
            return Err(bad("it is filled twice".to_owned()));
        }
        seen.push(field);
        match (from, table) {
            (Origin::Pointer(pointer), _) => check_pointer(object, field, Some(pointer))?,
            (Origin::Column(name), Some(table)) => column(object, field, table, name)?,
            (Origin::Column(name), None) => {
                return Err(bad(format!("it has no table that could have the column {name}")));
            }
            (Origin::Constant(value), _) if value.is_object() || value.is_array() => {
                return Err(bad("a field holds one value, no list and no object".to_owned()));
            }
            (Origin::RecordKey | Origin::AggregateId | Origin::Constant(_), _) => {}
        }
    }
    Ok(())
}

/// The name of an object or a field, as Salesforce allows it.
fn name(name: &str) -> Result<(), String> {
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let goes_on_well = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if starts_well && goes_on_well {
        Ok(())
    } else {
        Err(format!("{name:?} is no name that Salesforce could know"))
    }
}

/// Rows are looked up by a key and must say which key they are of.
fn key_column(object: &str, fact: &FactDefinition) -> Result<(), SinkError> {
    let bad = |problem| Err(invalid(object, "", problem));
    let what = fact.reads();
    if let FactSource::Query { query, .. } = &fact.source
        && query.parameters().len() != 1
    {
        return bad(format!("the query {what} must have one parameter, the key of the record"));
    }
    let Some(by) = fact.by() else {
        return bad(format!("it must be said which column of {what} has the key of the record"));
    };
    column(object, "", fact, by)?;
    let is_key = |kind| matches!(kind, Some(ValueKind::Text | ValueKind::Integer));
    if is_key(fact.column(by)) && is_key(fact.key_kind()) {
        return Ok(());
    }
    bad(format!("no record key can be found in {by}"))
}

fn column(object: &str, field: &str, fact: &FactDefinition, name: &str) -> Result<(), SinkError> {
    match fact.column(name) {
        Some(_) => Ok(()),
        None => Err(invalid(object, field, format!("{} has no column {name}", fact.reads()))),
    }
}

fn number(object: &str, fact: &FactDefinition, name: &str) -> Result<(), SinkError> {
    column(object, "", fact, name)?;
    if fact.column(name) == Some(ValueKind::Integer) {
        return Ok(());
    }
    Err(invalid(object, "", format!("the column {name} of {} is no number", fact.reads())))
}

fn check_pointer(object: &str, field: &str, given: Option<&str>) -> Result<(), SinkError> {
    match given.and_then(pointer::problem) {
        Some(problem) => Err(invalid(object, field, problem)),
        None => Ok(()),
    }
}

fn invalid(object: &str, field: &str, problem: String) -> SinkError {
    SinkError::MappingInvalid { object: object.to_owned(), field: field.to_owned(), problem }
}
