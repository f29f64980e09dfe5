//! Files of cases: what they say of the examples, and what is said of them.

mod broken;
mod examples;
mod misses;
mod schema;
mod setting;
