//! What history is archived in: lots, and the rows of them.

use std::time::Duration;

use dipmo_domain::{Json, Month, Timestamp, UnknownName};

use crate::Side;

/// The number of a lot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LotId(pub i64);

/// How far a lot is. It only goes forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LotState {
    /// Rows are still put into it.
    Filling,
    /// Its rows are fixed, and stand in the database and nowhere else.
    Aside,
    /// Its rows are in files as well.
    Archived,
    /// Its rows are in files only.
    Dropped,
}

impl LotState {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Filling, Self::Aside, Self::Archived, Self::Dropped];

    /// The name in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Filling => "FILLING",
            Self::Aside => "ASIDE",
            Self::Archived => "ARCHIVED",
            Self::Dropped => "DROPPED",
        }
    }
}

impl std::str::FromStr for LotState {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let unknown = || UnknownName { kind: "state of a lot", name: name.to_owned() };
        Self::ALL.into_iter().find(|state| state.as_str() == name).ok_or_else(unknown)
    }
}

/// What somebody wants to be done with the files of a lot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// They are to be read and compared with their checksums.
    Verify,
    /// Their rows are to stand in the database again, for so long at least.
    Restore {
        /// How long.
        hold: Duration,
    },
}

impl Wish {
    /// The word for it: `verify` or `restore`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Verify => "verify",
            Self::Restore { .. } => "restore",
        }
    }

    /// How long rows are held that are to be restored.
    #[must_use]
    pub const fn hold(self) -> Option<Duration> {
        match self {
            Self::Verify => None,
            Self::Restore { hold } => Some(hold),
        }
    }

    /// What the database has: the word, and how long.
    #[must_use]
    pub fn read(word: Option<&str>, hold: Option<Duration>) -> Option<Self> {
        match word? {
            "restore" => Some(Self::Restore { hold: hold.unwrap_or_default() }),
            _ => Some(Self::Verify),
        }
    }
}

/// Settled history of one side and month that is archived together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lot {
    /// Its number.
    pub id: LotId,
    /// Messages, or intents with their records.
    pub side: Side,
    /// The month that all of it is of.
    pub month: Month,
    /// How far it is.
    pub state: LotState,
    /// When it was begun.
    pub aside_at: Timestamp,
    /// When its files were complete.
    pub archived_at: Option<Timestamp>,
    /// When the last of its rows was dropped.
    pub dropped_at: Option<Timestamp>,
    /// Its files, once they are complete.
    pub files: Option<LotFiles>,
    /// What somebody wants.
    pub wish: Option<Wish>,
    /// When its files were last read and compared.
    pub checked_at: Option<Timestamp>,
    /// What was wrong with them then.
    pub problem: Option<String>,
    /// When its rows were last restored.
    pub restored_at: Option<Timestamp>,
    /// Until when they are held.
    pub restored_until: Option<Timestamp>,
}

/// The files of a lot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LotFiles {
    /// Where they are, below the directory of the archive.
    pub directory: String,
    /// BLAKE3 of the manifest, in hex.
    pub manifest: String,
    /// How many messages or intents.
    pub rows: u64,
    /// How many records of intents.
    pub records: u64,
    /// How many files, without the manifest.
    pub files: u32,
    /// How large they are together.
    pub bytes: u64,
}

/// The kinds of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LotPart {
    /// Messages and how they ended.
    Messages,
    /// Intents and how they ended.
    Intents,
    /// Records of intents and how they ended.
    Records,
}

impl LotPart {
    /// The kinds of a side, in the order in which they are archived and restored.
    #[must_use]
    pub const fn of(side: Side) -> &'static [Self] {
        match side {
            Side::Inbox => &[Self::Messages],
            Side::Outbox => &[Self::Intents, Self::Records],
        }
    }

    /// Its name: `messages`, `intents` or `records`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Intents => "intents",
            Self::Records => "records",
        }
    }
}

/// A row of a lot. All stores write and read the same fields; times are microseconds since 1970, and a text that is
/// JSON stays a text, so that it comes back to the letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryRow {
    /// Its id.
    pub id: i64,
    /// The whole row.
    pub line: Json,
}

/// What was found out about the files of a lot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LotAnswer {
    /// They are as they were written.
    Sound,
    /// They are not; nothing was restored.
    Damaged(String),
    /// They are, and all of their rows stand in the database.
    Restored {
        /// For so long at least.
        hold: Duration,
    },
}
