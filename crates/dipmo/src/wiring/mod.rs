//! From a configuration to what runs: the only place where adapters meet.
//!
//! ```text
//!  Loaded ──assemble──► Pipeline ──open──► Arc<dyn Store> ──instance──► Instance ──run──► until stopped
//!                          │ options of every adapter, checked; nothing was asked yet
//!                          └──probe──► rows: what Kafka, the database and Salesforce say
//! ```
//!
//! | module | what is there |
//! |---|---|
//! | `store`, `kafka`, `sources`, `rules`, `kafka_sink`, `salesforce`, `engine`, `retention` | a section of the file as the options of its adapter |
//! | `registry`, `served` | the processes, and whether somebody takes what they send |
//! | [`Pipeline`] | all of them together |
//! | [`Instance`] | what runs, in the [`Roles`] that were asked for |
//! | [`rehearsal`] | decides without a database |
//! | [`probe`] | asks the outside whether it is as the configuration says |
//!
//! **Invariants:** every section is taken apart field by field, without `..`: an option that is added to the
//! model and not used here does not compile. What an adapter says about its options is a problem at the place of
//! the option. What a reference stands for is in no print and no message.

mod asked;
mod engine;
mod instance;
mod kafka;
mod kafka_sink;
mod nowhere;
mod opening;
mod pipeline;
pub mod probe;
mod problem;
mod registry;
pub mod rehearsal;
mod retention;
mod roles;
mod rules;
mod salesforce;
mod served;
mod sources;
mod store;
#[cfg(test)]
mod tests;

pub use instance::{Instance, RunError};
pub use opening::OnSchema;
pub use pipeline::Pipeline;
pub use roles::{Role, Roles};
