//! How long what is done with is kept.

use std::time::Duration;

use crate::Spanned;
use crate::read::section;

section! {
    /// How long what is done with is kept. Nothing that is not settled is ever dropped.
    pub struct Retention("the retention") {
        /// Settled messages and intents, by whole months. Defaults to for ever.
        #[example("90d")]
        history: Option<Spanned<Duration>>,
        /// The ids by which duplicates are recognised; at least as long as the history. Defaults to for ever.
        #[example("400d")]
        message_ids: Option<Spanned<Duration>>,
    }
}
