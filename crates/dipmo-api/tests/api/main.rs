//! The API as an engine and an author meet it, from the outside.

mod obedient;
mod reading;
mod registering;
mod transitions;
