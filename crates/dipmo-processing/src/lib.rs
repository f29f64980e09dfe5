//! The engine: what moves messages from the inbox through processes to the outbox, and from there
//! to where they are meant to go.
//!
//! ```text
//!            ┌──────────── worker ────────────┐      ┌────────── dispatcher ──────────┐
//!  INBOX ──► │ claim ► decide ► write ► commit │ ──►  │ lease ► read ► publish ► settle │ ──► world
//!            └──── one transaction a batch ────┘      └──── no transaction is open ─────┘
//!                         ▲                                           │
//!                         └──── INTERNAL, timers, outcomes ◄──────────┘
//! ```
//!
//! **Invariant:** nothing here knows a database, a broker or a clock of its own: stores and
//! publishers are ports, time is the store's for everything that is stored, and random numbers come
//! from one seed. The simulation runs this code as it is.

mod bell;
mod dispatcher;
mod engine;
mod gauge;
pub mod health;
pub mod metrics;
pub mod operations;
mod options;
mod panics;
mod policy;
mod sampling;
pub mod steering;
mod telling;
mod upkeep;
mod worker;

pub use dipmo_store::DeadLetters;
pub use dispatcher::EffectHandler;
pub use engine::{Engine, Role};
pub use gauge::InboxGauge;
pub use health::Pulse;
pub use metrics::{Metrics, Snapshot};
pub use operations::{Performer, Presence, Redecode};
pub use options::{DispatchOptions, EngineOptions, UpkeepOptions, WorkerOptions};
pub use policy::{OnFailure, RetryPolicy, Unrouted};
pub use steering::{Helm, Orders, Steering};
