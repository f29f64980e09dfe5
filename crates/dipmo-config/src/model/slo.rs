//! What is promised of all that goes through.

use std::time::Duration;

use crate::read::section;
use crate::{Share, Spanned};

section! {
    /// What is promised of all that goes through. `dipmo report slo` tells how often it was kept, and how much may still
    /// go wrong. What is not here is not counted.
    pub struct Slo("what is promised") {
        /// Over how long, back from now; from 1h to 90d. Defaults to 30d.
        #[example("30d")]
        window: Option<Spanned<Duration>>,
        /// How soon what is delivered is delivered, from when its message was received.
        latency: Option<Latency>,
        /// The share of what is to be delivered that is, and not refused for good.
        #[example(0.9995)]
        delivered: Option<Spanned<Share>>,
        /// The share of messages that end, and do not fail.
        #[example(0.9999)]
        processed: Option<Spanned<Share>>,
    }
}

section! {
    /// How soon what is delivered is delivered.
    pub struct Latency("the latency") {
        /// From when the message was received until the destination acknowledged what came of it.
        #[example("60s")]
        within: Spanned<Duration>,
        /// The share that is delivered so soon.
        #[example(0.999)]
        share: Spanned<Share>,
    }
}
