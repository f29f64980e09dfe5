//! Receivers that break the rules on purpose, to see that the ledger notices.

use clap::ValueEnum;

/// What those who receive do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sabotage {
    /// Acknowledge a delivery now and then, and forget it.
    Lose,
    /// Take a delivery that comes again for a new one.
    Double,
    /// Put what comes later first.
    Reorder,
}
