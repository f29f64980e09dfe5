//! Timers: a delayed message of a process instance to itself.

use std::time::Duration;

use dipmo_domain::Json;

/// Sets or cancels a timer of this instance. Setting a name again moves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimerChange {
    /// After the delay the instance gets `event_type` with `payload`, once.
    Set {
        /// Unique within the instance.
        name: &'static str,
        /// Counted by the database's clock from the commit of this transition.
        after: Duration,
        /// The type of the event that comes.
        event_type: &'static str,
        /// Its payload.
        payload: Json,
    },
    /// The timer will not fire, unless its message was already on its way.
    Cancel {
        /// The name that it was set with.
        name: &'static str,
    },
}
