//! Facts: what is read before a message is decided on.

use crate::read::section;
use crate::{Expr, Lower, Map, Name, OneOrMany, Upper, ValueExpr};

section! {
    /// Rows that are read before a message is decided on, for all messages of a batch together:
    /// `fact.<name>` is the first row or null, `facts.<name>` are all.
    pub struct Fact("a fact") one_of ["table", "query"] {
        /// The rows of a table…
        table: Option<Upper>,
        /// …by one of its columns…
        by: Option<Upper>,
        /// …that has this value.
        #[example("=event.customerId")]
        key: Option<ValueExpr>,
        /// …or one of the values of this list.
        #[example("event.members.map(m, m.id)")]
        keys: Option<Expr>,
        /// The rows that a query finds…
        query: Option<Lower>,
        /// …with these parameters.
        #[example({"customer": "=event.customerId"})]
        with: Map<ValueExpr, Lower>,
        /// The events that it is read for. Defaults to all.
        on: OneOrMany<Name>,
    }
}
