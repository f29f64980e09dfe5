//! Processes that are declared in a file, run by the same engine as those in Rust.
//!
//! A file becomes compiled cases once, when it is loaded; after that a message costs one reading of the
//! fields that anybody asks for, and the expressions on the way to the first case that fits.
//!
//! Start reading at `process.rs`; `case.rs` has what a case can say, and `build/` makes all of it.

mod build;
mod case;
mod cell;
mod data;
mod event;
mod intern;
mod leg;
mod process;
mod question;
mod step;
mod template;
mod variables;

pub use build::Declared;
pub use build::unknown;
pub(crate) use cell::cell;
pub use leg::{DeclaredLeg, LegOutcome, LegRecord};
pub use process::DeclaredProcess;

/// How much work the expressions of one message may take: far more than any sane file needs, and far
/// less than would stop a worker.
const WORK: u64 = 2_000_000;
