//! What the producer sends: whole lives of hits and onboardings, with all that goes wrong on the way.

mod author;
mod hits;
mod onboardings;
mod story;
#[cfg(test)]
mod tests;

pub(crate) use author::Author;
pub(crate) use story::{Answer, Send};
