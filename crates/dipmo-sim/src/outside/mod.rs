//! The world outside: what arrives there, in which order, and how it behaves.

mod arrivals;
mod behaviour;
mod bulk;
mod publisher;
mod request;
mod service;
mod wire;

pub(crate) use arrivals::Outside;
pub(crate) use bulk::SimBulk;
pub(crate) use publisher::SimPublisher;
pub(crate) use service::Service;
