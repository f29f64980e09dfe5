//! How a record of Salesforce is made of a delivery.
//!
//! A mapping is a description: nothing in it asks a database or an org. What can be told to be wrong
//! without them is told when the publisher is made, the rest by
//! [`SalesforcePublisher::check`](crate::SalesforcePublisher::check).

mod child;
pub(crate) mod field;
mod keys;
mod object;
mod pointer;
mod source;
mod suggest;
pub(crate) mod validate;

pub use child::{ChildMapping, ChildSource};
pub use field::{FieldMapping, Origin};
pub(crate) use keys::{KeyColumn, fold, key_of, text};
pub use object::{Missing, ObjectMapping, State};
pub use source::Source;
pub(crate) use suggest::nearest;
