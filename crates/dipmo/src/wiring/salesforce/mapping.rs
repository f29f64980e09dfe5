//! How records of an object are made.

use std::sync::Arc;

use dipmo_api::{FactDefinition, FactSource};
use dipmo_config::model::object as model;
use dipmo_config::{Declared, Map, Name, Place, Problems, Spanned, Upper, ValueExpr, ValueKind};
use dipmo_sink_salesforce::{
    ChildMapping, ChildSource, FieldMapping, Missing, ObjectMapping, Origin, Source, State,
};
use serde_json::Value;

use crate::wiring::problem::{invalid, missing, unknown};

/// The mapping of an object.
pub(super) fn of_object(
    name: &Name,
    object: &model::Object,
    declared: &Declared,
    problems: &mut Problems,
) -> Option<ObjectMapping> {
    let model::Object {
        place: _,
        external_id,
        from,
        fields: mapped,
        state,
        when_missing,
        deletes,
        correlation,
        children,
    } = object;
    let before = problems.len();
    let source = match from {
        None | Some(model::Origin::Payload) => Some(Source::payload()),
        Some(model::Origin::Section(from)) => source(from, declared, problems),
    };
    let fact = source.as_ref().and_then(|source| match source {
        Source::Payload { .. } => None,
        Source::Table { fact, .. } => Some(fact.clone()),
    });
    let mut mapping = ObjectMapping::new(name.as_str(), external_id.as_str(), source?);
    mapping.fields = fields(mapped, fact.as_ref(), problems);
    if let Some(state) = state {
        mapping.state = match state.value {
            model::RecordState::Full => State::Full,
            model::RecordState::Partial => State::Partial,
        };
    }
    if let Some(policy) = when_missing {
        mapping.when_missing = match policy.value {
            model::Missing::Skip => Missing::Skip,
            model::Missing::Delete => Missing::Delete,
            model::Missing::Fail => Missing::Fail,
        };
    }
    mapping.deletes = deletes.iter().map(ToString::to_string).collect();
    mapping.correlation = correlation.as_ref().map(ToString::to_string);
    let children = children.iter();
    mapping.children =
        children.filter_map(|(name, child)| of_child(name, child, declared, problems)).collect();
    (problems.len() == before).then_some(mapping)
}

fn source(from: &model::From, declared: &Declared, problems: &mut Problems) -> Option<Source> {
    let model::From { place, table, query, by, version, as_of, records } = from;
    if let Some(pointer) = records {
        let others = [("by", by.as_ref()), ("version", version.as_ref())];
        for (key, name) in others {
            if let Some(name) = name {
                let message = format!("`{key}` is for tables and queries, not for `records`");
                problems.push(invalid(name.place, message));
            }
        }
        if let Some(as_of) = as_of {
            let message = "`as_of` is for tables and queries, not for `records`";
            problems.push(invalid(as_of.place, message));
        }
        return Some(Source::Payload { records: Some(pointer.expose().to_owned()) });
    }
    let fact = match (table, query) {
        (Some(table), _) => of_table(table, by.as_ref(), *place, declared, problems)?,
        (None, Some(query)) => {
            let Some(found) = declared.queries.get(query.as_str()) else {
                let known = declared.queries.keys().map(String::as_str);
                problems.push(unknown("query", query, query.place, known));
                return None;
            };
            let by = needed(by.as_ref(), *place, "the column that has the record key", problems)?;
            let fact = FactDefinition::query(found.name(), Arc::clone(found));
            let column = column(&fact, by, by.place, problems)?;
            FactDefinition::query_by(found.name(), Arc::clone(found), column)
        }
        // Its reader has said that one of them is needed.
        (None, None) => return None,
    };
    let version = match version {
        Some(name) => Some(column(&fact, name, name.place, problems)?),
        None => None,
    };
    if let (Some(as_of), None) = (as_of, version) {
        let message = "`as_of` needs `version`: the column that it is compared with";
        problems.push(missing(as_of.place, message));
    }
    let said = as_of.as_ref().map(|it| it.expose().to_owned());
    let as_of = version.and_then(|_| said.or_else(|| Some("/asOfVersion".to_owned())));
    Some(Source::Table { fact, version, as_of })
}

fn of_table(
    table: &Upper,
    by: Option<&Upper>,
    place: Place,
    declared: &Declared,
    problems: &mut Problems,
) -> Option<FactDefinition> {
    let Some(found) = declared.tables.get(table.as_str()) else {
        let known = declared.tables.keys().map(String::as_str);
        problems.push(unknown("table", table, table.place, known));
        return None;
    };
    let by = needed(by, place, "the column that has the record key", problems)?;
    // Only to ask for the column: it is then told by its own name.
    let rows = FactDefinition::table(found.name, Arc::clone(found), "");
    let by = column(&rows, by, by.place, problems)?;
    Some(FactDefinition::table(found.name, Arc::clone(found), by))
}

fn needed<'a>(
    by: Option<&'a Upper>,
    place: Place,
    what: &str,
    problems: &mut Problems,
) -> Option<&'a Upper> {
    if by.is_none() {
        problems.push(missing(place, format!("`by` is missing: {what}")));
    }
    by
}

/// A column of what a fact reads, by the name that lives as long as its definition.
fn column(
    fact: &FactDefinition,
    name: &str,
    place: Place,
    problems: &mut Problems,
) -> Option<&'static str> {
    let known = columns(fact);
    let found = known.iter().find(|column| **column == name).copied();
    if found.is_none() {
        problems.push(unknown(&format!("column of {}", fact.reads()), name, place, known));
    }
    found
}

fn columns(fact: &FactDefinition) -> Vec<&'static str> {
    match &fact.source {
        FactSource::Table { table, .. } => table.columns.iter().map(|it| it.name).collect(),
        FactSource::Query { query, .. } => query.columns().iter().map(|(name, _)| *name).collect(),
    }
}

fn fields(
    mapped: &Map<Spanned<model::FieldOrigin>, Name>,
    fact: Option<&FactDefinition>,
    problems: &mut Problems,
) -> Vec<FieldMapping> {
    let field = |(name, origin): (&Name, &Spanned<model::FieldOrigin>)| {
        let origin = match &origin.value {
            model::FieldOrigin::Column(column_name) => match fact {
                Some(fact) => Origin::Column(column(fact, column_name, origin.place, problems)?),
                None => {
                    let message =
                        format!("there is no table that could have a column {column_name}");
                    let hint =
                        "from a payload, a field is filled by a JSON pointer such as `/name`";
                    problems.push(invalid(origin.place, message).hint(hint));
                    return None;
                }
            },
            model::FieldOrigin::Pointer(pointer) => Origin::Pointer(pointer.clone()),
            model::FieldOrigin::Other(other) => match other {
                model::OtherOrigin::RecordKey(_) => Origin::RecordKey,
                model::OtherOrigin::AggregateId(_) => Origin::AggregateId,
                model::OtherOrigin::Constant(value) => Origin::Constant(constant(value, problems)?),
            },
        };
        Some(FieldMapping::new(name.as_str(), origin))
    };
    mapped.iter().filter_map(field).collect()
}

/// A value that is the same for every record.
fn constant(value: &ValueExpr, problems: &mut Problems) -> Option<Value> {
    match &value.kind {
        ValueKind::Literal(literal) => Some(literal.clone()),
        ValueKind::Expr(_) => {
            let message = "a constant is no expression";
            let hint = "let the process write it to the table, or put it into the payload";
            problems.push(invalid(value.place, message).hint(hint));
            None
        }
        ValueKind::List(_) | ValueKind::Map(_) => {
            problems.push(invalid(value.place, "a field holds one value, no list and no map"));
            None
        }
    }
}

fn of_child(
    name: &Name,
    child: &model::Child,
    declared: &Declared,
    problems: &mut Problems,
) -> Option<ChildMapping> {
    let model::Child { place: _, external_id, parent, from, fields: mapped } = child;
    let model::ChildFrom { place, table, by, items, key } = from;
    let source = match (table, items) {
        (Some(table), _) => {
            let fact = of_table(table, by.as_ref(), *place, declared, problems)?;
            let key = column(&fact, key.expose(), key.place, problems)?;
            ChildSource::Table { fact, key }
        }
        (None, Some(items)) => {
            if let Some(by) = by {
                problems.push(invalid(by.place, "`by` is for tables, not for `items`"));
            }
            let (items, key) = (items.expose().to_owned(), key.expose().to_owned());
            ChildSource::Payload { items, key }
        }
        // Its reader has said that one of them is needed.
        (None, None) => return None,
    };
    let fact = match &source {
        ChildSource::Table { fact, .. } => Some(fact.clone()),
        ChildSource::Payload { .. } => None,
    };
    let mut mapping = ChildMapping::new(name, external_id, parent, source);
    mapping.fields = fields(mapped, fact.as_ref(), problems);
    Some(mapping)
}
