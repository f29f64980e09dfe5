//! A Salesforce for tests.
//!
//! It speaks the REST, Collections, Composite and Bulk 2.0 APIs with the codes, the words and the odd
//! habits of the real one, keeps the rules of an org that a schema file describes, fails on demand,
//! and can tell afterwards what was applied, how often and in what order. It knows nothing of dipmo.

mod clock;
mod data;
mod datetime;
mod did_you_mean;
mod fold;
mod formula;
mod org;
mod refusal;
mod schema;
mod span;
mod value;

pub use schema::SchemaError;
