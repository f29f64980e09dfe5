//! What the producer sends: whole lives of hits, onboardings and families, with all that goes wrong on the way.

mod author;
mod families;
mod hits;
mod onboardings;
mod send;
mod story;
mod tale;
#[cfg(test)]
mod tests;

pub(crate) use author::Author;
pub(crate) use send::{Answer, Send};
#[cfg(test)]
pub(crate) use story::{DONE, Story};
