//! The engine: workers, dispatchers, upkeep, retries.

use std::num::{NonZeroU8, NonZeroU32};
use std::time::Duration;

use dipmo_domain::Backoff;

use crate::read::{section, words};
use crate::{Spanned, Template};

section! {
    /// How work is done. The defaults suit a database on the same network.
    pub struct Engine("the engine") {
        /// The inbox side.
        workers: Option<Workers>,
        /// The outbox side, for each destination.
        dispatch: Option<Dispatch>,
        /// Timers, releases, months and the backlog.
        upkeep: Option<Upkeep>,
        /// What happens to what fails.
        retries: Option<Retries>,
        /// What happens to a message that no process takes. Defaults to ignore.
        unrouted: Option<Spanned<Unrouted>>,
        /// Mirrors a message that fails for good to a topic beside its own. Defaults to no.
        dead_letters: Option<DeadLetters>,
    }
}

section! {
    /// Workers of the inbox.
    pub struct Workers("the workers") {
        /// So many are always there. Defaults to 1.
        min: Option<Spanned<u32>>,
        /// No more than so many are there. Each needs a connection. Defaults to 4.
        max: Option<Spanned<NonZeroU32>>,
        /// A worker beyond `min` goes after so long without work. Defaults to 10s.
        idle: Option<Spanned<Duration>>,
        /// How many messages a batch has; more are faster, and fail together more often. Defaults to 1000.
        batch: Option<Spanned<NonZeroU32>>,
        /// How often to look for work that nobody announced. Defaults to 250ms.
        poll: Option<Spanned<Duration>>,
    }
}

section! {
    /// Dispatchers of the outbox, for each destination.
    pub struct Dispatch("the dispatchers") {
        /// How many couriers a destination has: each delivers lanes of its own. Defaults to 4.
        couriers: Option<Spanned<NonZeroU32>>,
        /// How many of the 64 lanes a courier takes at once. Defaults to 16.
        lanes: Option<Spanned<NonZeroU8>>,
        /// How many units it reads at once, at most. Defaults to what the destination suits.
        units: Option<Spanned<NonZeroU32>>,
        /// How long a delivery may take, unless the destination says so itself. Defaults to 10s.
        deadline: Option<Spanned<Duration>>,
        /// How long a lane is leased; at least three deadlines. Defaults to 30s.
        lease: Option<Spanned<Duration>>,
        /// After so long a courier gives its lanes back, so that other instances get their share. Defaults
        /// to 5s.
        turn: Option<Spanned<Duration>>,
        /// How often to look for work that nobody announced. Defaults to 250ms.
        poll: Option<Spanned<Duration>>,
    }
}

section! {
    /// What keeps the rest going.
    pub struct Upkeep("the upkeep") {
        /// How often to look for timers that are due and for held messages to let go. Defaults to 250ms.
        poll: Option<Spanned<Duration>>,
        /// How many of them at once. Defaults to 1000.
        batch: Option<Spanned<NonZeroU32>>,
        /// How often to make room for the months to come. Defaults to 1h.
        months: Option<Spanned<Duration>>,
        /// How often to count what waits. Defaults to 5s.
        figures: Option<Spanned<Duration>>,
    }
}

section! {
    /// What happens to what fails.
    pub struct Retries("the retries") {
        /// To a message.
        inbox: Option<Retry>,
        /// To a delivery.
        outbox: Option<Retry>,
    }
}

section! {
    /// How attempts are repeated, and what follows the last one.
    pub struct Retry("a retry policy") {
        /// `exponential(first, longest, retries)`, `fixed(delay, retries)` or `none`. Defaults to
        /// exponential(1s, 5m, 10).
        #[example("exponential(1s, 5m, 10)")]
        backoff: Option<Spanned<Backoff>>,
        /// What happens to those behind. Defaults to block.
        on_failure: Option<Spanned<OnFailure>>,
    }
}

section! {
    /// Where dead letters go.
    pub struct DeadLetters("the dead letters") {
        /// What is put behind the name of the topic. Defaults to `-dlt`.
        suffix: Option<Template>,
    }
}

words! {
    /// Whether what comes later waits for something that failed for good.
    pub enum OnFailure("a way to go on") {
        /// Later ones of the same key are held until a person decides.
        Block = "block",
        /// Later ones go on without it.
        Skip = "skip",
    }
}

words! {
    /// What to do with a message that nobody takes.
    pub enum Unrouted("an answer to a message that nobody takes") {
        /// It ends as IGNORED, and is counted.
        Ignore = "ignore",
        /// It fails, for deployments where every message must have a taker.
        Fail = "fail",
    }
}
