//! From a configuration to what runs: the only place where adapters meet.
//!
//! ```text
//!  Loaded ──assemble──► Pipeline ──open──► Arc<dyn Operable> ──instance──► Instance ──run──► until stopped
//!                          │ options of every adapter, checked; nothing was asked yet
//!                          └──probe──► rows: what Kafka, the database and Salesforce say
//! ```
//!
//! | module | what is there |
//! |---|---|
//! | `store`, `kafka`, `sources`, `http`, `rules`, `kafka_sink`, `legs`, `salesforce`, `engine`, `retention`, `slo`, `admin`, `issuer` | a section of the file as the options of its adapter |
//! | `registry`, `served` | the processes, and whether somebody takes what they send |
//! | [`Pipeline`] | all of them together; `parts` hands them out one by one |
//! | [`Instance`] | what runs, in the [`Roles`] that were asked for |
//! | `operators`, [`Decoders`] | what an instance does for operators |
//! | [`Legs`] | legs that run, beside an instance or without any |
//! | [`rehearsal`] | decides without a database |
//! | [`outside`] | how others are asked over HTTP |
//! | [`probe`] | asks the outside whether it is as the configuration says |
//!
//! **Invariants:** every section is taken apart field by field, without `..`: an option that is added to the
//! model and not used here does not compile. What an adapter says about its options is a problem at the place of
//! the option. What a reference stands for is in no print and no message.

mod admin;
mod asked;
mod engine;
mod http;
mod instance;
mod issuer;
mod kafka;
mod kafka_sink;
mod legs;
mod legs_run;
mod listening;
mod names;
mod nowhere;
mod opening;
mod operators;
pub mod outside;
mod parts;
mod pipeline;
pub mod probe;
mod problem;
mod redecode;
mod registry;
pub mod rehearsal;
mod retention;
mod roles;
mod rules;
mod salesforce;
mod served;
mod slo;
mod sources;
mod store;
mod telling;
#[cfg(test)]
mod tests;
mod valves;

pub use http::HttpPlan;
pub use instance::{Instance, RunError};
pub use legs_run::Legs;
pub use opening::OnSchema;
pub use pipeline::Pipeline;
pub use redecode::Decoders;
pub use roles::{Role, Roles};
pub use sources::SourcePlan;
