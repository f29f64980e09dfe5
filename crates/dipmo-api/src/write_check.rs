//! The check of a domain write: what a database would refuse, found before it is asked.

use dipmo_domain::Value;

use crate::sql::CheckedStatement;
use crate::table::{Column, ColumnKind, DomainTable};
use crate::write::{DomainWrite, WriteTarget};

impl DomainWrite {
    /// What a store could not write: a column that the table does not have, a value that does not
    /// fit its column, a key that is not complete, or, for an upsert, a required column that is
    /// not set: the row may be new. For a statement, a parameter that it does not have, that is not
    /// set or that takes another kind. Checked where the transition is made, so that one bad row
    /// never fails a batch.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        match self.target() {
            WriteTarget::Upsert(table) | WriteTarget::Delete(table) => self.row_problem(table),
            WriteTarget::Run(statement) => self.run_problem(statement),
        }
    }

    fn run_problem(&self, statement: &CheckedStatement) -> Option<String> {
        let parameters = statement.parameters();
        let misfit = |(name, value): (&'static str, &Value)| match parameters
            .iter()
            .find(|(known, _)| *known == name)
        {
            None => Some(format!("has no parameter :{name}")),
            Some((_, kind)) => kind.misfit(name, value),
        };
        let unset = || parameters.iter().find(|(name, _)| self.value(name).is_none());
        let problem = self
            .values()
            .find_map(misfit)
            .or_else(|| unset().map(|(name, _)| format!("needs :{name} to be set")));
        problem.map(|problem| format!("statement {} {problem}", statement.name()))
    }

    fn row_problem(&self, table: &DomainTable) -> Option<String> {
        let problem = self
            .values()
            .find_map(|(name, value)| match table.column(name) {
                None => Some(format!("has no column {name}")),
                Some(column) => column.misfit(value),
            })
            .or_else(|| self.missing(table).map(|name| format!("needs {name} to be set")));
        problem.map(|problem| format!("table {} {problem}", table.name))
    }

    fn missing(&self, table: &DomainTable) -> Option<&'static str> {
        let wanted = |column: &&Column| table.is_key(column.name) || !self.is_delete();
        let unset = |column: &&Column| matches!(self.value(column.name), None | Some(Value::Null));
        let mut required = table.columns.iter().filter(|column| column.required).filter(wanted);
        required.find(unset).map(|column| column.name)
    }
}

impl Column {
    /// Why a value does not fit, as what the table says of it.
    pub(crate) fn misfit(&self, value: &Value) -> Option<String> {
        let name = self.name;
        match (self.kind, value) {
            (ColumnKind::Text(max), Value::Text(text)) => {
                let too_long = text.chars().count() > usize::from(max);
                let too_long = too_long.then(|| format!("has room for {max} characters in {name}"));
                too_long.or_else(|| text.contains('\0').then(|| format!("takes no NUL in {name}")))
            }
            (_, Value::Null)
            | (ColumnKind::Integer, Value::Integer(_))
            | (ColumnKind::Boolean, Value::Boolean(_))
            | (ColumnKind::Timestamp, Value::Timestamp(_))
            | (ColumnKind::Json, Value::Json(_)) => None,
            (kind, other) => Some(format!("takes {kind:?} in {name}, not {other:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::sql::{Statement, ValueKind};

    fn table() -> Arc<DomainTable> {
        Arc::new(DomainTable {
            name: "HITS",
            columns: vec![
                Column::new("ID", ColumnKind::Text(5)).required(),
                Column::new("STATUS", ColumnKind::Text(5)).required(),
                Column::new("NOTE", ColumnKind::Text(5)),
                Column::new("REVISION", ColumnKind::Integer).required(),
            ],
            key: vec!["ID"],
            version: Some("REVISION"),
        })
    }

    fn upsert() -> DomainWrite {
        DomainWrite::upsert(table()).set("ID", "H-1").set("STATUS", "NEW").set("REVISION", 1)
    }

    #[test]
    fn what_a_database_would_refuse_is_found_first() {
        for (write, problem) in [
            (upsert().set("COLOUR", "red"), "has no column COLOUR"),
            (upsert().set("NOTE", "longer"), "has room for 5 characters in NOTE"),
            (upsert().set("NOTE", "a\0"), "takes no NUL in NOTE"),
            (upsert().set("NOTE", 1), "takes Text(5) in NOTE, not Integer(1)"),
            (upsert().set("STATUS", Value::Null), "needs STATUS to be set"),
            (DomainWrite::upsert(table()).set("ID", "H-1"), "needs STATUS to be set"),
            (DomainWrite::delete(table()), "needs ID to be set"),
        ] {
            assert_eq!(write.problem(), Some(format!("table HITS {problem}")));
        }
    }

    #[test]
    fn a_statement_gets_all_its_parameters_and_no_other() {
        let statement = Statement {
            name: "close",
            sql: "update T set A = :a where B = :b".to_owned(),
            parameters: vec![("a", ValueKind::Text), ("b", ValueKind::Integer)],
        };
        let statement = statement.checked().unwrap();
        let run = || DomainWrite::run(Arc::clone(&statement)).set("a", "x");
        for (write, problem) in [
            (run(), "needs :b to be set"),
            (run().set("c", 1), "has no parameter :c"),
            (run().set("b", "secret"), "takes integer as :b, not text"),
            (run().set("a", "\0").set("b", 1), "takes no NUL in :a"),
        ] {
            assert_eq!(write.problem(), Some(format!("statement close {problem}")));
        }
        assert_eq!(run().set("b", 1).problem(), None);
        assert_eq!(run().set("b", Value::Null).problem(), None);
        assert_eq!(run().set("b", 1).key(), ["x".into(), 1.into()], "as they were declared");
    }

    #[test]
    fn what_fits_passes() {
        assert_eq!(upsert().set("NOTE", "ééééé").problem(), None);
        assert_eq!(upsert().set("NOTE", Value::Null).problem(), None);
        assert_eq!(DomainWrite::delete(table()).set("ID", "H-1").problem(), None);
    }
}
