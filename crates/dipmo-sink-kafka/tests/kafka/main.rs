//! The publisher against a real broker, and against a mock of one for faults that no real broker
//! shows on cue.

mod faults;
mod headers;
mod order;
mod refusals;
mod restart;
mod support;
