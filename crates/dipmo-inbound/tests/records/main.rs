//! Whole records, from the wire to the message.

#![expect(clippy::unwrap_used, reason = "an unwrap in a test is an assertion")]

mod cloud_events;
mod dead_letters;
mod garbage;
mod reparse;
mod rules;
mod support;
