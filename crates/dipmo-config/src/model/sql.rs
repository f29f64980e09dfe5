//! SQL with named parameters: never put together from texts, batched by the engine.

use super::table::SqlType;
use crate::read::section;
use crate::{AtLeastOne, Lower, Map, Name, Spanned, Sql};

section! {
    /// SQL that reads. The engine runs it once for many messages.
    pub struct Query("a query") {
        /// What it tells, in a sentence.
        describe: Option<Spanned<String>>,
        /// The statement; `:name` is a parameter.
        sql: Sql,
        /// The parameters and their types.
        #[example({"customer": "text"})]
        parameters: Map<Spanned<SqlType>, Lower>,
        /// The columns of the result, in its order, and their types.
        #[example({"HIT_ID": "text", "STATUS": "text"})]
        columns: AtLeastOne<Map<Spanned<SqlType>, Name>>,
    }
}

section! {
    /// SQL that writes, in the transaction of the step that asks for it.
    pub struct Statement("a statement") {
        /// What it does, in a sentence.
        describe: Option<Spanned<String>>,
        /// The statement; `:name` is a parameter.
        sql: Sql,
        /// The parameters and their types.
        #[example({"customer": "text", "hit": "text"})]
        parameters: Map<Spanned<SqlType>, Lower>,
    }
}
