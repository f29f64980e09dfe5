//! What a process manager is to its author: states, events, transitions, facts, writes, timers, and
//! a harness to test them.
//!
//! **Invariant:** no I/O, no clock, no async; of our crates only `dipmo-domain` is known here.
#![doc = include_str!("../../../docs/guide/process-api.md")]

mod advance;
mod asked;
mod context;
mod definition;
mod delivery;
mod description;
mod diagram;
mod document;
mod draft;
mod effect;
mod erased;
mod event;
mod fact;
mod intent;
mod message;
mod opening;
mod process;
mod read;
mod refusal;
mod registry;
mod registry_error;
mod routes;
mod size;
pub mod sql;
mod state;
mod subscription;
pub mod table;
pub mod testing;
mod timer;
mod transition;
mod typed;
mod upcast;
mod versions;
mod write;
mod write_check;

pub use advance::Advance;
pub use context::Context;
pub use delivery::{DELIVERED, DELIVERY_FAILED, DeliveryReport, FailedDelivery};
pub use description::Description;
pub use diagram::{diagram, with_diagram};
pub use draft::Draft;
pub use effect::Effect;
pub use erased::{
    Advanced, ErasedOutcome, ErasedProcess, Evidence, InstanceView, Opened, Question,
};
pub use event::{EventKind, ProcessEvent};
pub use fact::{FactDefinition, FactKey, FactRequest, FactRow, FactSource, Facts};
pub use intent::Intent;
pub use message::{INSTANCE_HEADER, MessageView, outcome_topic, timer_topic};
pub use opening::{Incoming, Payload};
pub use process::Process;
pub use refusal::Refusal;
pub use registry::Registry;
pub use registry_error::RegistryError;
pub use routes::Route;
pub use state::{Edge, ProcessState};
pub use subscription::{EventTypes, Subscription};
pub use timer::TimerChange;
pub use transition::{Park, Stay, Transition};
pub use typed::erase;
pub use upcast::Upcasters;
pub use versions::{OutOfTurn, Versions};
pub use write::{DomainWrite, WriteTarget};

/// What the macros of this crate write into other crates.
#[doc(hidden)]
pub mod macros {
    pub use serde::de::IgnoredAny;
    pub use serde::{Deserialize, Deserializer};

    pub use crate::event::version_of;
}
