//! The formulas of validation rules: a subset of Salesforce's language, with its semantics of blanks.
//!
//! A text is never null, it is empty; numbers and dates can be null, and what is asked about a null
//! has no answer, which is null again. A rule whose formula gives null does not fire. What makes
//! Salesforce show `#Error!`, such as a division by zero, is null here.
//!
//! Reading a formula and evaluating it are pure, and no formula can end the process.

mod apply;
mod error;
mod evaluate;
mod function;
mod lexer;
mod moment;
mod operator;
mod parser;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use error::FormulaError;
use tree::Expression;

use crate::value::Value;

/// A formula that has been read.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    tree: Expression,
    fields: Vec<String>,
}

/// The record that a formula is about.
pub(crate) trait Subject {
    /// What the field will hold. An empty field of a textual type is an empty text.
    fn value(&self, field: &str) -> Value;
    /// What the field held before this write; `None` if the record is new.
    fn prior(&self, field: &str) -> Option<Value>;
    /// Whether this write creates the record.
    fn is_new(&self) -> bool;
    /// For `TODAY` and `NOW`.
    fn now(&self) -> jiff::Timestamp;
}

impl Formula {
    /// Reads a formula.
    pub(crate) fn parse(text: &str) -> Result<Formula, FormulaError> {
        let (tree, fields) = parser::parse(text)?;
        Ok(Formula { tree, fields })
    }

    /// The fields that it names, as it writes them; a parent's has dots.
    pub(crate) fn fields(&self) -> &[String] {
        &self.fields
    }

    /// What it gives for a record.
    pub(crate) fn evaluate(&self, subject: &dyn Subject) -> Value {
        evaluate::evaluate(&self.tree, subject)
    }

    /// Whether a validation rule with this formula fires.
    pub(crate) fn holds(&self, subject: &dyn Subject) -> bool {
        self.evaluate(subject) == Value::Bool(true)
    }
}
