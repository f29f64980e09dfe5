//! What is wrong with a formula, and where.

/// A formula that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub(crate) struct FormulaError {
    line: usize,
    column: usize,
    problem: String,
}

impl FormulaError {
    /// The problem with what stands at a byte of the text.
    pub(super) fn at(text: &str, offset: usize, problem: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        FormulaError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            problem: problem.into(),
        }
    }
}
