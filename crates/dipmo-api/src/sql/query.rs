//! Queries: SQL that reads, for facts and for what is sent.

use std::sync::Arc;

use super::ValueKind;
use super::check::Written;
use super::problem::{SqlError, SqlProblem};
use super::template::{Template, UserSql};

/// A query as it is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Its name in errors and reports.
    pub name: &'static str,
    /// One `select`, or one `with … select`; a parameter is `:name`, wherever a value may stand.
    pub sql: String,
    /// The parameters, and what each takes.
    pub parameters: Vec<(&'static str, ValueKind)>,
    /// The columns of its result that are read, by name in any case, and what each holds.
    pub columns: Vec<(&'static str, ValueKind)>,
}

/// A query that was checked; any number of them are sent together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedQuery {
    name: &'static str,
    parameters: Vec<(&'static str, ValueKind)>,
    columns: Vec<(&'static str, ValueKind)>,
    template: Template,
}

impl Query {
    /// Checks names, parameters, and that it is one query.
    ///
    /// # Errors
    /// All that is wrong: parameters that are not declared or not used, another kind of statement or
    /// several, quotes or parentheses without an end, no columns.
    pub fn checked(self) -> Result<Arc<CheckedQuery>, SqlError> {
        let Self { name, sql, parameters, columns } = self;
        let written = Written {
            name,
            sql,
            parameters: &parameters,
            columns: &columns,
            begins: &["select", "with"],
        };
        let template = written.template()?;
        if columns.is_empty() {
            let problem = "it must declare the columns that are read".to_owned();
            let problems = vec![SqlProblem::declared(name, problem)];
            return Err(SqlError { name: name.to_owned(), problems });
        }
        Ok(Arc::new(CheckedQuery { name, parameters, columns, template }))
    }
}

impl CheckedQuery {
    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The parameters, in the order in which they were declared: that of the values of a request.
    #[must_use]
    pub fn parameters(&self) -> &[(&'static str, ValueKind)] {
        &self.parameters
    }

    /// The columns that are read.
    #[must_use]
    pub fn columns(&self) -> &[(&'static str, ValueKind)] {
        &self.columns
    }

    /// The text.
    #[must_use]
    pub const fn template(&self) -> &Template {
        &self.template
    }

    /// What it is called in an error.
    #[must_use]
    pub fn title(&self) -> String {
        UserSql::Query(self).title()
    }
}
