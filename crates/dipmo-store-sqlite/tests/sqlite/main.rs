//! What is SQLite's own: the file and its troubles, handlers, crashes, and the relations that
//! people read.

#![expect(clippy::unwrap_used, reason = "an unwrap in a test is an assertion")]

#[path = "../folder/mod.rs"]
mod folder;

mod browsing;
mod crash;
mod handlers;
mod jobs;
mod json;
mod migrations;
mod opening;
mod processes;
mod reads_by_people;
mod seeds;
mod states_gone;
mod support;
mod trouble;
mod waves;
