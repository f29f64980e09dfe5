//! Statements: SQL that writes, with the message in one transaction.

use std::sync::Arc;

use super::ValueKind;
use super::check::Written;
use super::problem::SqlError;
use super::template::{Template, UserSql};

/// A statement as it is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its name, which a process describes it by; also in errors and reports.
    pub name: &'static str,
    /// One statement that writes; a parameter is `:name`, wherever a value may stand. Nothing that
    /// begins or ends a transaction: that is dipmo's.
    pub sql: String,
    /// The parameters, and what each takes.
    pub parameters: Vec<(&'static str, ValueKind)>,
}

/// A statement that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedStatement {
    name: &'static str,
    parameters: Vec<(&'static str, ValueKind)>,
    template: Template,
}

impl Statement {
    /// Checks names, parameters, and that it is one statement that writes.
    ///
    /// # Errors
    /// All that is wrong: parameters that are not declared or not used, another kind of statement or
    /// several, quotes or parentheses without an end.
    pub fn checked(self) -> Result<Arc<CheckedStatement>, SqlError> {
        let Self { name, sql, parameters } = self;
        let written = Written {
            name,
            sql,
            parameters: &parameters,
            columns: &[],
            begins: &["insert", "update", "delete", "merge", "replace", "with"],
        };
        let template = written.template()?;
        Ok(Arc::new(CheckedStatement { name, parameters, template }))
    }
}

impl CheckedStatement {
    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The parameters, in the order in which they were declared.
    #[must_use]
    pub fn parameters(&self) -> &[(&'static str, ValueKind)] {
        &self.parameters
    }

    /// The text.
    #[must_use]
    pub const fn template(&self) -> &Template {
        &self.template
    }

    /// What it is called in an error.
    #[must_use]
    pub fn title(&self) -> String {
        UserSql::Statement(self).title()
    }
}
