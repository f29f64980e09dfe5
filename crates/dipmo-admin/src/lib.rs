//! The JSON API for operators, over [`Operable`](dipmo_store::admin::Operable).
//!
//! ```text
//!  request ──► in time? ──► who? (token or JWT, throttle) ──► which role? ──► route ──► store
//!                            401 · 429                  403              masked, unless revealed
//! ```
//!
//! **Invariants:** nobody without a token is told anything but that they need one. What came in (payloads, headers,
//! keys, what failures say) is masked unless a rule shows it, or an operator reveals it with a reason or searches in
//! it, which is in the audit before the answer is. Whatever changes something is in the audit with it, in one transaction. No
//! token, payload or secret is in a log, an error or a print.

mod app;
mod attempt;
mod auth;
mod body;
mod connection;
mod doctor;
mod document;
mod gate;
mod headers;
mod journey;
mod mask;
mod moment;
mod oidc;
mod params;
mod path;
mod problem;
mod rehearse;
mod reveal;
mod roles;
mod routes;
mod search;
mod server;
mod slo;
mod throttle;
mod token;
mod trail;
mod watch;

pub use app::{App, AppLimits, AppOptions, ProcessInfo, SourceInfo};
pub use auth::Identity;
pub use axum::Router;
pub use axum::body::Body;
pub use doctor::{DoorKind, Expected};
pub use mask::{MaskError, Shown};
pub use oidc::{Claim, KeySource, KeysError, Oidc, OidcOptions};
pub use rehearse::{Rehearse, Rehearsed, Sends};
pub use roles::Role;
pub use server::{Server, ServerError, ServerLimits, ServerOptions};
pub use slo::{Promise, Promises, Target};

#[cfg(test)]
mod reference;
