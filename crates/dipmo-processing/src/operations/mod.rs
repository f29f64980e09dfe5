//! Performing what operators asked for, and keeping tidy what they look at.
//!
//! ```text
//!  Performer ── take ► [ next_items ► perform ► renew ]… ► it ended, does not run, or is another's
//!            └─ tidying: groups of failures are put together, what is old is forgotten
//!  Presence  ── report, add_slo … sign_off
//! ```
//! What is held behind an item that ended is let go by the upkeep of any engine, as after any other end.
//!
//! **Invariants:** only the store says that an item was met, in the transaction that acts on it: whoever is
//! killed here has done nothing twice, and whoever goes on need not know of it. Nothing of this is on the
//! path of a message: what fails here stops nobody.

mod means;
mod one;
mod options;
mod pace;
mod patience;
mod performance;
mod performer;
mod presence;
mod promised;
mod reparse;
mod replay;
mod setbacks;
mod tidying;

pub use one::Conclusion;
pub use options::OperationOptions;
pub use performer::Performer;
pub use presence::{Badge, Presence};
pub use promised::Promised;
pub use reparse::Redecode;
