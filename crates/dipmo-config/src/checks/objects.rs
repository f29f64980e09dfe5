//! Mappings of Salesforce: their tables, queries and columns.

use crate::declared::unknown;
use crate::model::object::{Child, FieldOrigin, From, Object, Origin};
use crate::problem::{Problem, codes};
use crate::{Config, Map, Name, Place, Problems, Spanned};

pub(super) fn check(config: &Config, problems: &mut Problems) {
    let orgs = config.destinations.iter().flat_map(|all| all.salesforce.iter());
    for (_, object) in orgs.flat_map(|(_, org)| org.objects.iter()) {
        mapping(config, object, problems);
    }
}

fn mapping(config: &Config, object: &Object, problems: &mut Problems) {
    let origin = match &object.from {
        Some(Origin::Section(from)) => Some(from.as_ref()),
        Some(Origin::Payload) | None => None,
    };
    if let Some(columns) = origin.and_then(|from| columns(config, from, problems)) {
        fields(&object.fields, &columns, problems);
    }
    for (_, child) in object.children.iter() {
        if let Some(columns) = columns_of_child(config, child, problems) {
            fields(&child.fields, &columns, problems);
        }
    }
}

/// The columns that fields can be made of; `None` when that is not known.
fn columns<'a>(config: &'a Config, from: &From, problems: &mut Problems) -> Option<Vec<&'a str>> {
    let columns = if let Some(table) = &from.table {
        table_columns(config, table, problems)?
    } else {
        let query = from.query.as_ref()?;
        let Some(found) = config.queries.get(query) else {
            let known = config.queries.iter().map(|(name, _)| name.as_str());
            problems.push(unknown("query", query, query.place, known));
            return None;
        };
        found.columns.iter().map(|(name, _)| name.as_str()).collect()
    };
    match &from.by {
        Some(by) => column(by, by.place, &columns, problems),
        None => {
            let message = "a record is found by a column";
            let hint = "add `by`, such as `by: ID`";
            problems.push(Problem::error(codes::MISSING_KEY, from.place, message).hint(hint));
        }
    }
    if let Some(version) = &from.version {
        column(version, version.place, &columns, problems);
    }
    Some(columns)
}

fn columns_of_child<'a>(
    config: &'a Config,
    child: &Child,
    problems: &mut Problems,
) -> Option<Vec<&'a str>> {
    let columns = table_columns(config, child.from.table.as_ref()?, problems)?;
    if let Some(by) = &child.from.by {
        column(by, by.place, &columns, problems);
    }
    Some(columns)
}

fn table_columns<'a>(
    config: &'a Config,
    table: &crate::Upper,
    problems: &mut Problems,
) -> Option<Vec<&'a str>> {
    let Some(found) = config.tables.get(table) else {
        let known = config.tables.iter().map(|(name, _)| name.as_str());
        problems.push(unknown("table", table, table.place, known));
        return None;
    };
    Some(found.columns.iter().map(|(name, _)| name.as_str()).collect())
}

fn fields(fields: &Map<Spanned<FieldOrigin>, Name>, columns: &[&str], problems: &mut Problems) {
    for (_, origin) in fields.iter() {
        if let FieldOrigin::Column(name) = &origin.value {
            column(name, origin.place, columns, problems);
        }
    }
}

fn column(name: &str, place: Place, columns: &[&str], problems: &mut Problems) {
    if !columns.contains(&name) {
        problems.push(unknown("column", name, place, columns.iter().copied()));
    }
}
