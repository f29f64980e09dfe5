//! What can be said of whole files.

mod broken;
mod environment;
mod files;
mod mutated;
mod overlays;
mod places;
mod schema;
mod valid;
