//! What can be said of whole files.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod broken;
mod environment;
mod files;
mod legs;
mod mutated;
mod overlays;
mod places;
mod schema;
mod valid;
