//! Tables of processes and of the domain, as SQL.
//!
//! All names stand in quotes: a column called ORDER is fine, and none can become SQL.

use dipmo_api::table::{Column, ColumnKind, DomainTable, ProcessTable, ProjectedColumn};
use dipmo_api::{FactDefinition, FactSource};

/// Columns of every process table that a write sets.
pub(crate) const PROCESS_COLUMNS: [&str; 9] = [
    "ID",
    "STATE",
    "LAST_EVENT_TS",
    "VERSION",
    "ERROR_CODE",
    "ERROR_MESSAGE",
    "ATTEMPTS",
    "CONTEXT",
    "LAST_EVENT_VERSIONS",
];

/// Microseconds since 1970, for rows that a person makes; in words that every SQLite knows.
pub(crate) const NOW: &str =
    "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000";

/// The table of a process.
pub(crate) fn process_table(table: &ProcessTable) -> String {
    process_table_as(table, &table.table_name(), &table.states)
}

/// The table of a process, under a name and with states of the caller's.
fn process_table_as(table: &ProcessTable, name: &str, states: &[&str]) -> String {
    let projected: String = table.projected.iter().map(projected_column).collect();
    let states: Vec<_> = states.iter().map(|state| literal(state)).collect();
    format!(
        "CREATE TABLE {name} (
  ID TEXT PRIMARY KEY CHECK (length(ID) <= 200),
{projected}  STATE TEXT NOT NULL DEFAULT {initial} CONSTRAINT {check} CHECK (STATE IN ({states})),
  LAST_EVENT_TS INTEGER NOT NULL DEFAULT ({NOW}),
  VERSION INTEGER NOT NULL DEFAULT 0,
  ERROR_CODE TEXT CHECK (length(ERROR_CODE) <= 200),
  ERROR_MESSAGE TEXT CHECK (length(ERROR_MESSAGE) <= 2000),
  ATTEMPTS INTEGER NOT NULL DEFAULT 0,
  CONTEXT TEXT NOT NULL DEFAULT '{{}}',
  LAST_EVENT_VERSIONS TEXT NOT NULL DEFAULT '{{}}'
) STRICT;",
        name = quoted(name),
        initial = literal(table.initial),
        check = quoted(table.state_check),
        states = states.join(", "),
    )
}

/// Makes a process table anew, with the states that it allows from now on: SQLite cannot change a
/// CHECK. Its instances leave states as the moves say, and their VERSION goes up.
pub(crate) fn process_table_anew(
    table: &ProcessTable,
    states: &[&str],
    moves: &[(&str, &str)],
    indexes: &[String],
) -> String {
    let (old, new) = (table.table_name(), format!("{}_NEW", table.table_name()));
    let columns = PROCESS_COLUMNS.join(", ");
    let values = PROCESS_COLUMNS.map(|column| moved(column, moves)).join(", ");
    let (made, old, new) = (process_table_as(table, &new, states), quoted(&old), quoted(&new));
    let indexes: String = indexes.iter().map(|index| format!("\n{index};")).collect();
    format!(
        "{made}\nINSERT INTO {new} ({columns}) SELECT {values} FROM {old};\nDROP TABLE {old};\n\
         ALTER TABLE {new} RENAME TO {old};{indexes}"
    )
}

/// What a column holds after the moves.
fn moved(column: &str, moves: &[(&str, &str)]) -> String {
    match column {
        "STATE" if !moves.is_empty() => {
            let when =
                |(from, to): &(&str, &str)| format!("WHEN {} THEN {} ", literal(from), literal(to));
            let whens: String = moves.iter().map(when).collect();
            format!("CASE STATE {whens}ELSE STATE END")
        }
        "VERSION" if !moves.is_empty() => {
            let gone: Vec<_> = moves.iter().map(|(from, _)| literal(from)).collect();
            format!("VERSION + (STATE IN ({}))", gone.join(", "))
        }
        _ => column.to_owned(),
    }
}

/// The states that a process table allows, from how it was made; `None` when it was made without
/// our CHECK.
pub(crate) fn allowed_states(made: &str, state_check: &str) -> Option<Vec<String>> {
    let (_, check) = made.split_once(&quoted(state_check))?;
    let (_, list) = check.split_once("IN (")?;
    let (list, _) = list.split_once(')')?;
    Some(list.split('\'').skip(1).step_by(2).map(str::to_owned).collect())
}

/// A table of the domain.
pub(crate) fn domain_table(table: &DomainTable) -> String {
    let columns: Vec<_> = table.columns.iter().map(domain_column).collect();
    format!(
        "CREATE TABLE {} (\n  {},\n  PRIMARY KEY ({})\n) WITHOUT ROWID;",
        quoted(table.name),
        columns.join(",\n  "),
        table.key.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "),
    )
}

/// The index of a fact; none when the key of the table begins with its column, nor for a query,
/// whose author knows best.
pub(crate) fn fact_index(fact: &FactDefinition) -> Option<FactIndex> {
    let FactSource::Table { table, by } = &fact.source else { return None };
    let (table, key) = (table.name, &table.key);
    (key.first() != Some(by)).then(|| {
        let name = format!("IX_{table}_{by}");
        let sql = format!(
            "CREATE INDEX IF NOT EXISTS {} ON {} ({});",
            quoted(&name),
            quoted(table),
            quoted(by),
        );
        FactIndex { table, name, sql }
    })
}

/// An index of a fact.
pub(crate) struct FactIndex {
    pub(crate) table: &'static str,
    pub(crate) name: String,
    pub(crate) sql: String,
}

/// A name as SQL.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn projected_column(column: &ProjectedColumn) -> String {
    format!(
        "  {name} TEXT GENERATED ALWAYS AS (json_extract(CONTEXT, {})) STORED{} \
         CHECK (length({name}) <= 200),\n",
        literal(&format!("$.{}", column.field)),
        required(column.required),
        name = quoted(column.name),
    )
}

fn domain_column(column: &Column) -> String {
    let name = quoted(column.name);
    let check = match column.kind {
        ColumnKind::Text(most) => format!("length({name}) <= {most}"),
        ColumnKind::Integer | ColumnKind::Timestamp => {
            format!("typeof({name}) IN ('integer', 'null')")
        }
        ColumnKind::Boolean => format!("{name} IN (0, 1)"),
        ColumnKind::Json => format!("json_valid({name})"),
    };
    let kind = declared_type(column.kind);
    format!("{name} {kind}{} CHECK ({check})", required(column.required))
}

/// The table is not STRICT, so that its types say more than SQLite wants to know: TIMESTAMP is a
/// number of microseconds.
fn declared_type(kind: ColumnKind) -> String {
    match kind {
        ColumnKind::Text(most) => format!("VARCHAR({most})"),
        ColumnKind::Integer => "INTEGER".to_owned(),
        ColumnKind::Boolean => "BOOLEAN".to_owned(),
        ColumnKind::Timestamp => "TIMESTAMP".to_owned(),
        // With TEXT in its name SQLite does not make a number of the document `1`.
        ColumnKind::Json => "JSON_TEXT".to_owned(),
    }
}

/// Whether a column that is there can hold what its definition says.
pub(crate) fn fits(kind: ColumnKind, declared: &str) -> bool {
    let declared = declared.to_ascii_uppercase();
    let has = |names: &[&str]| names.iter().any(|name| declared.contains(name));
    match kind {
        ColumnKind::Text(most) => {
            has(&["CHAR", "TEXT", "CLOB"]) && length(&declared).is_none_or(|n| n >= most)
        }
        ColumnKind::Integer => has(&["INT"]),
        ColumnKind::Boolean => has(&["BOOL", "INT"]),
        ColumnKind::Timestamp => has(&["TIMESTAMP"]),
        ColumnKind::Json => has(&["TEXT", "CLOB"]),
    }
}

/// The n of `VARCHAR(n)`.
fn length(declared: &str) -> Option<u16> {
    declared.split_once('(')?.1.split_once(')')?.0.trim().parse().ok()
}

const fn required(required: bool) -> &'static str {
    if required { " NOT NULL" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_we_make_fits() {
        use ColumnKind::{Boolean, Integer, Json, Text, Timestamp};
        for kind in [Text(20), Integer, Boolean, Timestamp, Json] {
            assert!(fits(kind, &declared_type(kind)), "{kind:?}");
        }
        assert!(fits(Text(20), "VARCHAR2(20)") && fits(Text(20), "text"));
        assert!(!fits(Text(20), "VARCHAR(19)") && !fits(Text(20), "INTEGER"));
        assert!(!fits(Timestamp, "INTEGER") && !fits(Integer, "TIMESTAMP"));
    }
}
