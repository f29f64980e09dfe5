//! Tables of the domain.

use std::collections::BTreeMap;
use std::sync::Arc;

use dipmo_api::table::{Column, ColumnKind, DomainTable};

use super::unknown;
use crate::declared::intern::intern;
use crate::model::table::{self, ColumnType, Table};
use crate::problem::{Problem, codes};
use crate::{Map, Problems, Upper};

/// Builds those that can be made.
pub(super) fn build(
    tables: &Map<Table, Upper>,
    problems: &mut Problems,
) -> BTreeMap<String, Arc<DomainTable>> {
    let built = tables.iter().filter_map(|(name, table)| {
        if !check_names(table, problems) {
            return None;
        }
        let definition = DomainTable {
            name: intern(name),
            columns: table.columns.iter().map(|(name, kind)| column(name, **kind)).collect(),
            key: table.key.iter().map(|name| intern(name)).collect(),
            version: table.version.as_deref().map(intern),
        };
        match definition.checked() {
            Ok(table) => Some((name.to_string(), table)),
            Err(error) => {
                let message = format!("the table {name} cannot be made: {}", error.problem);
                problems.push(Problem::error(codes::TABLE_INVALID, name.place, message));
                None
            }
        }
    });
    built.collect()
}

/// Names that are no columns are said where they stand; false when there are some.
fn check_names(table: &Table, problems: &mut Problems) -> bool {
    let mut are_known = true;
    let columns = || table.columns.iter().map(|(name, _)| name.as_str());
    for name in table.key.iter().chain(&table.version) {
        if table.columns.get(name).is_none() {
            problems.push(unknown("column", name, name.place, columns()));
            are_known = false;
        }
    }
    are_known
}

fn column(name: &str, column: ColumnType) -> Column {
    let kind = match column.kind {
        table::ColumnKind::Text(length) => ColumnKind::Text(length),
        table::ColumnKind::Integer => ColumnKind::Integer,
        table::ColumnKind::Boolean => ColumnKind::Boolean,
        table::ColumnKind::Timestamp => ColumnKind::Timestamp,
        table::ColumnKind::Json => ColumnKind::Json,
    };
    Column { name: intern(name), kind, required: column.required }
}
