//! The sections of `dipmo.yaml`, a file each.
//!
//! Keys are called as the options of the crates that they are for. What is optional says its default in its
//! description; a value that is not given is `None` here, so that the default stays where it is used.

pub mod action;
pub mod admin;
pub mod case;
pub mod config;
pub mod destinations;
pub mod engine;
pub mod event;
pub mod fact;
pub mod http;
pub mod kafka;
pub mod leg;
pub mod object;
pub mod process;
pub mod resilience;
pub mod retention;
pub mod salesforce;
pub mod slo;
pub mod source;
pub mod sql;
pub mod store;
pub mod table;
