//! The publisher against a real broker, and against a mock of one for faults that no real broker
//! shows on cue.

#![expect(clippy::unwrap_used, reason = "all of this is test code: an unwrap is an assertion")]

mod ending;
mod faults;
mod headers;
mod logins;
mod once;
mod order;
mod outage;
mod refusals;
mod restart;
mod support;
