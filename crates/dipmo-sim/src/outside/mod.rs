//! The world outside: what arrives there, in which order, and how it behaves.

mod arrivals;
mod behaviour;
mod publisher;
mod wire;

pub(crate) use arrivals::Outside;
pub(crate) use publisher::SimPublisher;
