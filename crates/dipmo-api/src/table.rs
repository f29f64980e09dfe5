//! Tables that a process owns: its own row per instance, and the domain rows that it writes.
//!
//! A definition gives the DDL, the statements and the checks; no store knows a table by heart.
//! Names are checked when a definition is made, because they become SQL.

use std::sync::Arc;

use dipmo_domain::{Code, Coded};
use thiserror::Error;

/// The type of a column, in words that every store can translate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text of at most so many characters.
    Text(u16),
    /// A whole number of 64 bits.
    Integer,
    /// True or false.
    Boolean,
    /// A point in time.
    Timestamp,
    /// A JSON document.
    Json,
}

/// A column of a domain table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Upper case, as the seeds write columns.
    pub name: &'static str,
    /// What it holds.
    pub kind: ColumnKind,
    /// NOT NULL.
    pub required: bool,
}

impl Column {
    /// A column that may be NULL.
    #[must_use]
    pub const fn new(name: &'static str, kind: ColumnKind) -> Self {
        Self { name, kind, required: false }
    }

    /// The same, NOT NULL.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

/// A table of the domain, written by natural key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainTable {
    /// Upper case, such as `HITS`.
    pub name: &'static str,
    /// All columns that dipmo writes; the table may have more.
    pub columns: Vec<Column>,
    /// The natural key: which columns identify a row.
    pub key: Vec<&'static str>,
    /// A number that only grows; a write with a number that is not newer changes nothing.
    pub version: Option<&'static str>,
}

/// The table of a process, `<NAME>_PROCESS`, with one row per instance.
///
/// Every such table has ID, STATE, LAST_EVENT_TS, VERSION, ERROR_CODE, ERROR_MESSAGE (the seeds'),
/// and ATTEMPTS, CONTEXT, LAST_EVENT_VERSIONS. Projected columns show fields of the context document
/// under a name of their own, kept by the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessTable {
    /// The name of the process, such as `HIT`.
    pub process: &'static str,
    /// All names of states; they become the CHECK on STATE.
    pub states: Vec<&'static str>,
    /// The state of a row that was just made.
    pub initial: &'static str,
    /// The name of that CHECK, such as `CK_HIT_STATE`.
    pub state_check: &'static str,
    /// Columns that show a field of the context document.
    pub projected: Vec<ProjectedColumn>,
}

/// The columns that every process table has.
const PROCESS_COLUMNS: [&str; 9] = [
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

/// The width of `STATE`, in characters.
const MAX_STATE_CHARS: usize = 30;

/// A text column of a process table that shows a field of its context document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectedColumn {
    /// Upper case, such as `NOTIFICATION_ID`.
    pub name: &'static str,
    /// The field at the top of the document, such as `notificationId`.
    pub field: &'static str,
    /// NOT NULL: an instance without the field is refused.
    pub required: bool,
}

/// A definition that cannot become a table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("table {table}: {problem}")]
pub struct TableError {
    /// The table.
    pub table: String,
    /// What is wrong, and what would be right.
    pub problem: String,
}

impl Coded for TableError {
    fn code(&self) -> Code {
        Code::new("table-definition-invalid")
    }
}

impl DomainTable {
    /// Checks names, key and version column.
    ///
    /// # Errors
    /// When a name is not an SQL name, the key is empty, or key or version are no columns.
    pub fn checked(self) -> Result<Arc<Self>, TableError> {
        let problem = |problem: String| TableError { table: self.name.to_owned(), problem };
        check_names(
            std::iter::once(self.name).chain(self.columns.iter().map(|column| column.name)),
        )
        .map_err(problem)?;
        if self.key.is_empty() {
            return Err(problem("a domain table needs a natural key".to_owned()));
        }
        for name in self.key.iter().chain(&self.version) {
            let Some(column) = self.column(name) else {
                return Err(problem(format!("{name} is not among the columns")));
            };
            if !column.required {
                return Err(problem(format!(
                    "{name} must be required: it is in the key or is the version"
                )));
            }
        }
        if let Some(version) = self.version
            && self.column(version).is_some_and(|column| column.kind != ColumnKind::Integer)
        {
            return Err(problem(format!("the version column {version} must be an integer")));
        }
        Ok(Arc::new(self))
    }

    /// A column by its name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// True for columns of the natural key.
    #[must_use]
    pub fn is_key(&self, name: &str) -> bool {
        self.key.contains(&name)
    }
}

impl ProcessTable {
    /// `<NAME>_PROCESS`.
    #[must_use]
    pub fn table_name(&self) -> String {
        format!("{}_PROCESS", self.process)
    }

    /// Checks names and states.
    ///
    /// # Errors
    /// When a name is not an SQL name, a state is listed twice or too long, the initial one is not
    /// listed, or a projected column has the name of one that is always there.
    pub fn checked(self) -> Result<Arc<Self>, TableError> {
        let problem = |problem: String| TableError { table: self.table_name(), problem };
        let projected = self.projected.iter().map(|column| column.name);
        check_names([self.process, self.state_check].into_iter()).map_err(problem)?;
        check_names(PROCESS_COLUMNS.into_iter().chain(projected)).map_err(problem)?;
        check_names(self.states.iter().copied()).map_err(problem)?;
        if let Some(long) = self.states.iter().find(|state| state.len() > MAX_STATE_CHARS) {
            return Err(problem(format!(
                "the state {long} has more than {MAX_STATE_CHARS} letters"
            )));
        }
        if !self.states.contains(&self.initial) {
            return Err(problem(format!(
                "the initial state {} is not among the states",
                self.initial
            )));
        }
        let field_ok = |field: &str| field.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if let Some(bad) = self.projected.iter().find(|column| !field_ok(column.field)) {
            return Err(problem(format!("{:?} is no plain field name", bad.field)));
        }
        Ok(Arc::new(self))
    }
}

/// Names become SQL, so only capitals, digits and underscores pass, none of them twice.
fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut seen = Vec::new();
    for name in names {
        let starts_well = name.starts_with(|c: char| c.is_ascii_uppercase());
        let goes_on_well =
            name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        if !starts_well || !goes_on_well || name.len() > 50 {
            return Err(format!("{name:?} is no name: capitals, digits and '_', at most 50"));
        }
        if seen.contains(&name) {
            return Err(format!("{name} stands there twice"));
        }
        seen.push(name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> DomainTable {
        DomainTable {
            name: "HITS",
            columns: vec![
                Column::new("ID", ColumnKind::Text(200)).required(),
                Column::new("REVISION", ColumnKind::Integer).required(),
            ],
            key: vec!["ID"],
            version: Some("REVISION"),
        }
    }

    #[test]
    fn a_name_that_could_be_sql_is_refused() {
        let bad = DomainTable { name: "HITS; DROP TABLE INBOX", ..table() };
        assert!(bad.checked().unwrap_err().problem.contains("is no name"));
        assert!(table().checked().is_ok());
    }

    #[test]
    fn key_and_version_must_be_columns() {
        let bad = DomainTable { key: vec!["HIT_ID"], ..table() };
        assert_eq!(bad.checked().unwrap_err().problem, "HIT_ID is not among the columns");
        assert!(DomainTable { key: vec![], ..table() }.checked().is_err());
    }

    #[test]
    fn a_process_table_knows_its_initial_state() {
        let table = ProcessTable {
            process: "HIT",
            states: vec!["A", "B"],
            initial: "C",
            state_check: "CK_HIT_STATE",
            projected: vec![],
        };
        assert!(table.clone().checked().is_err());
        let long = ["A", "A_STATE_OF_MORE_THAN_30_LETTERS"].to_vec();
        assert!(ProcessTable { initial: "A", states: long, ..table.clone() }.checked().is_err());
        assert!(ProcessTable { initial: "A", ..table }.checked().is_ok());
    }

    #[test]
    fn a_column_that_is_always_there_cannot_be_projected() {
        let column = ProjectedColumn { name: "VERSION", field: "version", required: false };
        let table = ProcessTable {
            process: "HIT",
            states: vec!["A"],
            initial: "A",
            state_check: "CK_HIT_STATE",
            projected: vec![column],
        };
        assert_eq!(table.checked().unwrap_err().problem, "VERSION stands there twice");
    }
}
