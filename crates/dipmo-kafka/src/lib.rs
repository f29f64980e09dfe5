//! How to reach a broker, and what its errors mean.
//!
//! ```text
//!  KafkaOptions ──config(Settings)──► ClientConfig ──► a consumer or a producer
//!       └──────events()────────────► ClientEvents ──► tracing, login tokens, the last error
//!                                    KafkaError::of(what the client said) ──► Verdict
//! ```
//!
//! **Invariant:** nothing here prints a secret: not in `Debug`, not in an error, not in a log line.

mod board;
mod classify;
mod error;
mod events;
mod headers;
mod lag;
mod options;
mod place;
mod property;
mod seat;
mod secret;
mod security;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod transaction;
mod trouble;

pub use board::{Board, Problem, Subject};
pub use error::{KafkaError, Verdict};
pub use events::ClientEvents;
pub use headers::headers_of;
pub use lag::lag;
pub use options::{KafkaOptions, Settings};
pub use place::Place;
pub use seat::{Chair, Seat};
pub use secret::Secret;
pub use security::{Login, Sasl, Security, Tls, Token, TokenSource};
pub use transaction::{TransactionVerdict, is_fenced};
