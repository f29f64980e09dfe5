//! Advancing: the next state of an instance, and all that is written with it.

use dipmo_domain::Failure;

use crate::{DomainWrite, Effect, TimerChange};

/// A step of an instance, or several in one, with its effects, writes and timers.
///
/// All of it is written in the transaction that settles the message, or none of it is. Made by
/// [`Transition::advance`](crate::Transition::advance), and a
/// [`Transition`](crate::Transition) by `.into()`.
///
/// ```
/// use dipmo_api::{Effect, Transition};
/// use dipmo_domain::Destination;
///
/// let step: Transition<&str, ()> = Transition::advance("SHIPPED")
///     .via("PACKED")
///     .effect(Effect::new(Destination::internal(), "OrderShipped"))
///     .into();
/// assert!(matches!(step, Transition::Advance(_)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "an advance does nothing until decide returns it"]
pub struct Advance<S, D> {
    pub(crate) via: Vec<S>,
    pub(crate) to: S,
    pub(crate) data: Option<D>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) writes: Vec<DomainWrite>,
    pub(crate) timers: Vec<TimerChange>,
    pub(crate) failure: Option<Failure>,
}

impl<S, D> Advance<S, D> {
    pub(crate) const fn to(state: S) -> Self {
        Self {
            via: Vec::new(),
            to: state,
            data: None,
            effects: Vec::new(),
            writes: Vec::new(),
            timers: Vec::new(),
            failure: None,
        }
    }

    /// Passes through a state on the way; in the order of the calls. Every edge is checked.
    pub fn via(mut self, state: S) -> Self {
        self.via.push(state);
        self
    }

    /// The new context document. Without it the old one stays.
    pub fn data(mut self, data: D) -> Self {
        self.data = Some(data);
        self
    }

    /// Adds an intent to the outbox.
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }

    /// Adds several, in their order.
    pub fn effects(mut self, effects: impl IntoIterator<Item = Effect>) -> Self {
        self.effects.extend(effects);
        self
    }

    /// Adds a row to write or delete.
    pub fn write(mut self, write: DomainWrite) -> Self {
        self.writes.push(write);
        self
    }

    /// Sets or cancels a timer.
    pub fn timer(mut self, timer: TimerChange) -> Self {
        self.timers.push(timer);
        self
    }

    /// `ERROR_CODE` and `ERROR_MESSAGE` of the process row, for a step into a state that means
    /// failure. A step without it clears both.
    pub fn failure(mut self, failure: Failure) -> Self {
        self.failure = Some(failure);
        self
    }
}
