//! A harness for processes: given an instance, when a message comes, then this was decided.
//!
//! Messages go the way that they go in the engine: through the registry, the parser, the upcasters
//! and every check of a transition. Only the database is missing, so a test takes microseconds.
//!
//! All `then_…` methods panic when something else came, and say what was expected and what came.

mod expect;
mod explore;
mod message;
mod scenario;
mod show;
mod then_advanced;
mod then_other;
mod world;

pub use explore::{Explored, explore};
pub use message::TestMessage;
pub use scenario::{Scenario, given};
