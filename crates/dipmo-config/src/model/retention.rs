//! How long what is done with is kept.

use std::time::Duration;

use crate::read::section;
use crate::{Spanned, Template};

section! {
    /// How long what is done with is kept. Nothing that is not settled is ever dropped.
    pub struct Retention("the retention") {
        /// Settled messages and intents, by whole months. Defaults to for ever.
        #[example("90d")]
        history: Option<Spanned<Duration>>,
        /// The ids by which duplicates are recognised; at least as long as the history. Defaults to for ever.
        #[example("400d")]
        message_ids: Option<Spanned<Duration>>,
        /// Where history goes before it is dropped. Without it, it is dropped as it is.
        archive: Option<Archive>,
    }
}

section! {
    /// History in files: written, read back, and only then dropped. `dipmo archive restore` puts it back.
    pub struct Archive("the archive") {
        /// The directory. All instances in the role `process` have the same one, as on a volume that they share.
        #[example("/var/lib/dipmo/archive")]
        directory: Template,
    }
}
