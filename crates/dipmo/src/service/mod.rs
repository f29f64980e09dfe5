//! What a process needs to be run as a service: health on a port, logs, signals, systemd.
//!
//! ```text
//!  Pulse ──► Health ──► HealthPort   GET /live /ready /health
//!                  └──► Watchdog     READY=1, WATCHDOG=1, STATUS=…
//!  signals ──► run_until_stopped ──► everything that runs, within a time limit
//! ```
//! Each part stands on its own; `docs/operations.md` is the operator's view of them.

mod answer;
mod ask;
pub mod colour;
mod health;
mod http;
mod legs;
pub mod logs;
mod notify;
mod port;
mod shutdown;
mod signals;
mod sources;
mod watchdog;
mod watching;

pub use ask::{Asked, ask};
pub use health::Health;
pub use http::watch_http;
pub use legs::watch_leg;
pub use notify::Notify;
pub use port::{DEFAULT_ADDRESS, HealthPort};
pub use shutdown::{Ended, GRACE, run_until_stopped};
pub use signals::Signals;
pub use sources::watch_source;
pub use watchdog::Watchdog;
