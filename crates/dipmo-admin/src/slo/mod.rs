//! What is promised, and what is left of the budget for what may go wrong. All of it is pure.

mod budget;
mod promise;
mod standing;

#[cfg(test)]
pub(crate) use budget::Kept;
pub(crate) use standing::{Standing, standings};

pub use promise::{Promise, Promises, Target};
