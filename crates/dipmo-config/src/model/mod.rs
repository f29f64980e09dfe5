//! The sections of `dipmo.yaml`, a file each. What is optional says its default in its description; a
//! test of the binary compares these with the options of the crates.

pub mod action;
pub mod case;
pub mod config;
pub mod destinations;
pub mod engine;
pub mod event;
pub mod fact;
pub mod kafka;
pub mod object;
pub mod process;
pub mod resilience;
pub mod retention;
pub mod salesforce;
pub mod source;
pub mod sql;
pub mod store;
pub mod table;
