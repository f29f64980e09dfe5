//! Is this system fit to run? Facts are gathered in one place, and judged in others, which are pure.
//!
//! **Invariant:** a check says what it looked at, also when all is well; and one that could not look says so instead of
//! saying that all is well. No line has a payload, a key, or the name of a token.

mod expected;
mod facts;
mod line;
mod promises;
mod safety;
mod service;
mod work;

pub(crate) use facts::Facts;
pub(crate) use line::Examination;

pub use expected::{DoorKind, Expected};

/// All lines: first what runs, then what is stuck, then what was promised, then what will hurt later.
pub(crate) fn examine(facts: &Facts) -> Examination {
    let now = [service::lines(facts), work::lines(facts)].concat();
    let lines = [now, promises::lines(facts), safety::lines(facts)].concat();
    Examination::of(facts.now, lines)
}
