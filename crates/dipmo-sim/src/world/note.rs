//! What the producer asks of an account. The message carries it all, so that deciding is pure.

use serde::{Deserialize, Serialize};

use super::sends::Send;

/// The payload of `Noted`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Note {
    /// Counts the messages of the account.
    pub(crate) n: u32,
    pub(crate) act: Act,
    /// Whether it looks at what the message before it wrote.
    pub(crate) checks: bool,
    pub(crate) timer: Option<TimerAct>,
    pub(crate) sends: Vec<Send>,
}

/// What becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Act {
    Take,
    /// Works after so many attempts.
    RetryFirst(u32),
    Reject,
    Panic,
    /// Writes a row that the database refuses.
    Poison,
}

impl Act {
    /// How often it is tried before it works; `None` when it never does.
    pub(crate) const fn works_after(self, retries: u32) -> Option<u32> {
        match self {
            Self::Take => Some(0),
            Self::RetryFirst(times) if times <= retries => Some(times),
            Self::RetryFirst(_) | Self::Reject | Self::Panic | Self::Poison => None,
        }
    }

    /// The code that it fails with.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::Take => "",
            Self::RetryFirst(_) => "sim-not-yet",
            Self::Reject => "sim-rejected",
            Self::Panic => "process-panicked",
            Self::Poison => "store-row-refused",
        }
    }
}

/// What it does with a timer; setting one that is set moves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum TimerAct {
    Set { slot: usize, after_ms: u64 },
    Cancel { slot: usize },
}

/// The names of the timers.
pub(crate) const SLOTS: [&str; 2] = ["first", "second"];
