//! Domain writes: a statement for each group of rows with the same columns, and those of users.

use dipmo_api::table::{Column, DomainTable};
use dipmo_domain::StoreError;
use dipmo_store::{Tables, WriteGroup, WriteStep};

use crate::sql::{Call, Param, Sql};
use crate::{statements, values};

/// The statements of a step, in order.
pub(crate) fn calls(tables: &Tables, step: &WriteStep) -> Result<Vec<Call>, StoreError> {
    match step {
        WriteStep::Rows(group) => write(tables, group).map(|call| vec![call]),
        WriteStep::Run(runs) => statements::calls(tables, runs),
    }
}

/// The statement of a group.
pub(crate) fn write(tables: &Tables, group: &WriteGroup) -> Result<Call, StoreError> {
    let table = known(tables, &group.table)?;
    let columns: Vec<&Column> =
        group.columns.iter().filter_map(|name| table.column(name)).collect();
    let params = columns
        .iter()
        .enumerate()
        .map(|(at, column)| values::array(column, group.rows.iter().map(|row| &row[at])))
        .collect::<Result<Vec<Param>, _>>()?;
    let sql = if group.deletes {
        Sql::dynamic("domain_delete", delete(table, &columns))
    } else {
        Sql::dynamic("domain_upsert", upsert(table, &columns))
    };
    Ok(sql.with(params))
}

fn known<'a>(tables: &'a Tables, table: &DomainTable) -> Result<&'a DomainTable, StoreError> {
    let found = tables.domain.iter().find(|known| known.name == table.name);
    found.map(|known| &**known).ok_or_else(|| StoreError::SchemaMissing {
        problem: format!("table {} was not installed; migrate first", table.name),
    })
}

fn upsert(table: &DomainTable, columns: &[&Column]) -> String {
    let name = table.name.to_lowercase();
    let names = list(columns.iter().map(|column| column.name.to_lowercase()));
    let key = list(table.key.iter().map(|column| column.to_lowercase()));
    let set: Vec<String> = columns
        .iter()
        .filter(|column| !table.is_key(column.name))
        .map(|column| format!("{0} = excluded.{0}", column.name.to_lowercase()))
        .collect();
    let newer = table.version.map_or_else(String::new, |version| {
        format!(" where t.{0} < excluded.{0}", version.to_lowercase())
    });
    let action = if set.is_empty() {
        "do nothing".to_owned()
    } else {
        format!("do update set {}{newer}", set.join(", "))
    };
    let source = unnest(columns);
    // Sorted by key, so that two batches with the same rows do not deadlock.
    format!(
        "insert into {name} as t ({names}) select {names} from {source} as u ({names}) \
         order by {key} on conflict ({key}) {action}"
    )
}

fn delete(table: &DomainTable, columns: &[&Column]) -> String {
    let name = table.name.to_lowercase();
    let names = list(columns.iter().map(|column| column.name.to_lowercase()));
    let is_version = |column: &&Column| table.version == Some(column.name);
    let conditions = columns
        .iter()
        .filter(|column| table.is_key(column.name) || is_version(column))
        .map(|column| {
            let compare = if is_version(column) { "<=" } else { "=" };
            format!("t.{0} {compare} u.{0}", column.name.to_lowercase())
        })
        .collect::<Vec<_>>()
        .join(" and ");
    format!("delete from {name} t using {} as u ({names}) where {conditions}", unnest(columns))
}

fn unnest(columns: &[&Column]) -> String {
    let arrays = columns
        .iter()
        .enumerate()
        .map(|(at, column)| format!("${}::{}", at + 1, values::array_type(column.kind)));
    format!("unnest({})", list(arrays))
}

fn list(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
