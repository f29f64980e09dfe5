//! Folds domain writes into as few statements as their order allows.

use std::collections::HashMap;
use std::sync::Arc;

use dipmo_api::sql::CheckedStatement;
use dipmo_api::table::DomainTable;
use dipmo_api::{DomainWrite, WriteTarget};
use dipmo_domain::Value;

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteStep {
    /// Writes rows of a table.
    Rows(WriteGroup),
    /// Runs a statement, once for each list of values, one after the other.
    Run(StatementRuns),
}

/// Runs of one statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementRuns {
    /// The statement.
    pub statement: Arc<CheckedStatement>,
    /// The values of each run, in the order of the parameters.
    pub runs: Vec<Vec<Value>>,
}

/// Writes of one kind to the same columns of one table, no two of them to the same row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteGroup {
    /// The table.
    pub table: Arc<DomainTable>,
    /// The columns that all of them set.
    pub columns: Vec<&'static str>,
    /// True when they delete.
    pub deletes: bool,
    /// The rows: values in the order of `columns`.
    pub rows: Vec<Vec<Value>>,
}

/// Groups writes so that each group is one statement.
///
/// A row may be written several times in a batch; each time opens a later group, so that the
/// version check of the database sees the writes one after the other, as it would without batches.
/// Nothing is moved past a statement of a user's own: nobody but its author knows which rows it
/// reads and writes.
#[must_use]
pub fn fold_writes(writes: &[DomainWrite]) -> Vec<WriteStep> {
    let mut steps: Vec<WriteStep> = Vec::new();
    for part in writes.chunk_by(|left, right| left.table().is_some() == right.table().is_some()) {
        match part.first().map(DomainWrite::target) {
            Some(WriteTarget::Run(_)) => steps.extend(runs(part).map(WriteStep::Run)),
            _ => steps.extend(groups(part).into_iter().map(WriteStep::Rows)),
        }
    }
    steps
}

/// Runs of the same statement that follow each other.
fn runs(writes: &[DomainWrite]) -> impl Iterator<Item = StatementRuns> {
    let parts = writes.chunk_by(|left, right| left.target() == right.target());
    parts.filter_map(|part| match part.first()?.target() {
        WriteTarget::Run(statement) => Some(StatementRuns {
            statement: Arc::clone(statement),
            runs: part.iter().map(DomainWrite::key).collect(),
        }),
        WriteTarget::Upsert(_) | WriteTarget::Delete(_) => None,
    })
}

fn groups(writes: &[DomainWrite]) -> Vec<WriteGroup> {
    let mut groups: Vec<WriteGroup> = Vec::new();
    let mut last_group: HashMap<(&'static str, Vec<Value>), usize> = HashMap::new();
    for write in writes {
        let Some(table) = write.table() else { continue };
        let row = (table.name, write.key());
        let columns = write.columns();
        let first = last_group.get(&row).map_or(0, |last| last + 1);
        let fits = |group: &WriteGroup| {
            group.table == *table && group.columns == columns && group.deletes == write.is_delete()
        };
        let at = (first..groups.len()).find(|at| fits(&groups[*at])).unwrap_or(groups.len());
        if at == groups.len() {
            groups.push(WriteGroup {
                table: Arc::clone(table),
                columns: columns.clone(),
                deletes: write.is_delete(),
                rows: Vec::new(),
            });
        }
        let value = |name: &&'static str| write.value(name).cloned().unwrap_or(Value::Null);
        groups[at].rows.push(columns.iter().map(value).collect());
        last_group.insert(row, at);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use dipmo_api::sql::{Statement, ValueKind};
    use dipmo_api::table::{Column, ColumnKind};

    fn table() -> Arc<DomainTable> {
        DomainTable {
            name: "HITS",
            columns: vec![
                Column::new("ID", ColumnKind::Text(20)).required(),
                Column::new("STATUS", ColumnKind::Text(20)),
            ],
            key: vec!["ID"],
            version: None,
        }
        .checked()
        .unwrap()
    }

    fn write(id: &str, status: &str) -> DomainWrite {
        DomainWrite::upsert(table()).set("ID", id).set("STATUS", status)
    }

    #[test]
    fn different_rows_share_a_statement() {
        let groups = groups(&[write("1", "a"), write("2", "b")]);
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].rows.len(), 2);
    }

    #[test]
    fn the_same_row_twice_is_two_statements_in_order() {
        let groups = groups(&[write("1", "a"), write("1", "b"), write("2", "c")]);
        let rows: Vec<_> = groups.iter().map(|group| group.rows.len()).collect();
        assert_eq!(rows, [2, 1]);
        assert_eq!(groups[1].rows[0][1], Value::from("b"));
    }

    #[test]
    fn a_delete_after_a_write_stays_after_it() {
        let delete = DomainWrite::delete(table()).set("ID", "1");
        let groups = groups(&[write("1", "a"), delete, write("1", "b")]);
        let kinds: Vec<_> = groups.iter().map(|group| group.deletes).collect();
        assert_eq!(kinds, [false, true, false]);
    }

    #[test]
    fn nothing_is_moved_past_a_statement() {
        let statement = |name| {
            let sql = "update HITS set STATUS = 'X' where ID = :id".to_owned();
            let parameters = vec![("id", ValueKind::Text)];
            Statement { name, sql, parameters }.checked().unwrap()
        };
        let (close, open) = (statement("close"), statement("open"));
        let run = |statement: &Arc<_>, id| DomainWrite::run(Arc::clone(statement)).set("id", id);
        let steps = fold_writes(&[
            write("1", "a"),
            write("2", "b"),
            run(&close, "1"),
            run(&close, "2"),
            run(&open, "1"),
            write("3", "c"),
            run(&close, "3"),
        ]);
        let shown = |step: &WriteStep| match step {
            WriteStep::Rows(group) => format!("{} rows", group.rows.len()),
            WriteStep::Run(run) => format!("{} {}", run.statement.name(), run.runs.len()),
        };
        let steps: Vec<_> = steps.iter().map(shown).collect();
        assert_eq!(steps, ["2 rows", "close 2", "open 1", "1 rows", "close 1"]);
    }
}
