//! SQL of a user's own: queries and statements with named parameters.
//!
//! A text is read once, when it is checked. What comes of it is a template: a store puts its own
//! placeholders where the parameters stand, and sends the values beside the text.
//!
//! **Invariant:** no value ever becomes part of a text.

mod check;
mod kind;
mod problem;
mod query;
mod statement;
mod template;
mod tokens;

pub use kind::ValueKind;
pub use problem::{Place, SqlError, SqlProblem};
pub use query::{CheckedQuery, Query};
pub use statement::{CheckedStatement, Statement};
pub use template::{Template, UserSql};
