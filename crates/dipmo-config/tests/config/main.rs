//! What can be said of whole files.

mod broken;
mod environment;
mod mutated;
mod overlays;
mod places;
mod schema;
mod valid;
