//! How to reach a broker, and what its errors mean.
//!
//! ```text
//!  KafkaOptions ──config(Settings)──► ClientConfig ──► a consumer or a producer
//!       └──────events()────────────► ClientEvents ──► tracing, login tokens, the last error
//!                                    KafkaError::of(what the client said) ──► Verdict
//! ```
//!
//! **Invariant:** nothing here prints a secret: not in `Debug`, not in an error, not in a log line.

mod classify;
mod error;
mod events;
mod options;
mod property;
mod secret;
mod security;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use error::{KafkaError, Verdict};
pub use events::ClientEvents;
pub use options::{KafkaOptions, Settings};
pub use secret::Secret;
pub use security::{Login, Sasl, Security, Tls, Token, TokenSource};
