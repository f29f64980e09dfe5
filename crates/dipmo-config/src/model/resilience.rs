//! How an org and its objects are protected.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::read::section;
use crate::{Map, Name, Share, Spanned};

section! {
    /// How an org and its objects are protected. Each instance of dipmo counts for itself.
    pub struct Resilience("the resilience of an org") {
        /// The org as a whole.
        org: Option<Level>,
        /// Each object of it, unless `objects` says otherwise.
        object: Option<Level>,
        /// Objects with options of their own, by name.
        objects: Map<Level, Name>,
        /// The daily allowance of calls.
        quota: Option<Quota>,
        /// After so long a destination that was stopped is tried again. Defaults to never: a person starts it.
        restart_after: Option<Spanned<Duration>>,
    }
}

section! {
    /// What protects one org, or one object of it.
    pub struct Level("a level of resilience") {
        /// How many calls may begin in a time.
        rate: Option<Rate>,
        /// How many calls may be under way at once.
        bulkhead: Option<Bulkhead>,
        /// When to leave it alone.
        breaker: Option<Breaker>,
        /// How long a call may take; of org and object the shorter one counts. Defaults to 30s.
        time_limit: Option<Spanned<Duration>>,
    }
}

section! {
    /// A rate limiter.
    pub struct Rate("a rate") {
        /// So many calls begin in any period at most. Defaults to 50.
        calls: Option<Spanned<NonZeroU32>>,
        /// The period. Defaults to 1s.
        period: Option<Spanned<Duration>>,
        /// A call waits so long for its turn, then it is not made. Defaults to 2s.
        max_wait: Option<Spanned<Duration>>,
    }
}

section! {
    /// A bulkhead.
    pub struct Bulkhead("a bulkhead") {
        /// So many calls are under way at most. Defaults to 10 for an org and 8 for an object.
        calls: Option<Spanned<NonZeroU32>>,
        /// A call waits so long for room, then it is not made. Defaults to 10s.
        max_wait: Option<Spanned<Duration>>,
        /// After a complaint about too many calls the room is halved, and grows again by one for each such
        /// time. Defaults to 10s.
        recover_every: Option<Spanned<Duration>>,
    }
}

section! {
    /// A circuit breaker.
    pub struct Breaker("a breaker") {
        /// The last so many calls are looked at. Defaults to 50.
        window: Option<Spanned<NonZeroU32>>,
        /// It opens when at least this share of them failed. Defaults to 0.5.
        failure_rate: Option<Spanned<Share>>,
        /// And when there were at least so many. Defaults to 10 for an object and 50 for an org.
        minimum_calls: Option<Spanned<NonZeroU32>>,
        /// And when so many objects failed. Defaults to 1 for an object and 2 for an org.
        minimum_objects: Option<Spanned<u32>>,
        /// So long nothing passes once it is open. Defaults to 30s.
        open: Option<Spanned<Duration>>,
        /// Then so many calls are let through, and decide. Defaults to 3.
        probes: Option<Spanned<NonZeroU32>>,
    }
}

section! {
    /// The guard of the daily allowance of calls.
    pub struct Quota("a quota") {
        /// This share of the allowance is left to others. Defaults to 0.2.
        reserve: Option<Spanned<Share>>,
        /// Work goes on when so much more than the reserve is left. Defaults to 0.01.
        margin: Option<Spanned<Share>>,
        /// So long after a pause began Salesforce is asked whether it can end. Defaults to 60s.
        probe_first: Option<Spanned<Duration>>,
        /// The time doubles with every answer of no, up to this. Defaults to 15m.
        probe_longest: Option<Spanned<Duration>>,
    }
}
