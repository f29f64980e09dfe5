//! Whole records, from the wire to the message.

mod cloud_events;
mod dead_letters;
mod garbage;
mod reparse;
mod rules;
mod support;
