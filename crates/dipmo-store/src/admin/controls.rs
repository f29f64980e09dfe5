//! What operators hold back or steer: sources and destinations that are paused, breakers, rates.
//!
//! A control is a row that says how something is to be until somebody says otherwise. Every instance reads all of
//! them again and again and does as they say; so they hold everywhere, and outlive any process.

use std::fmt;
use std::str::FromStr;

use async_trait::async_trait;
use dipmo_domain::{StoreError, Timestamp};

use super::audit::AuditEntry;

/// What kind of thing is steered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Steered {
    /// Where messages come from, by its name in the configuration.
    Source,
    /// Where intents go, as the outbox has it.
    Destination,
}

impl Steered {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Source, Self::Destination];

    /// `source` or `destination`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Destination => "destination",
        }
    }
}

impl fmt::Display for Steered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Steered {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}

/// Something that can be steered.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SteeredThing {
    /// What it is.
    pub kind: Steered,
    /// Its name; at most [`LONGEST_NAME`] characters.
    pub name: String,
}

/// The longest name of something that can be steered, in characters.
pub const LONGEST_NAME: usize = 200;

/// How something is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Setting {
    /// It rests until it is resumed.
    Paused,
    /// An instance makes so many calls a second at most, whatever its configuration says.
    Rate(u32),
    /// Its breaker is open until somebody closes it, or was closed at this moment, whoever had opened it.
    Breaker {
        /// Which of both.
        open: bool,
    },
}

/// What a setting is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SettingKind {
    /// Whether it rests.
    Paused,
    /// How many calls a second.
    Rate,
    /// Its breaker.
    Breaker,
}

impl Setting {
    /// What it is about.
    #[must_use]
    pub const fn kind(self) -> SettingKind {
        match self {
            Self::Paused => SettingKind::Paused,
            Self::Rate(_) => SettingKind::Rate,
            Self::Breaker { .. } => SettingKind::Breaker,
        }
    }

    /// The number under which it is kept, where there is one.
    #[must_use]
    pub fn value(self) -> Option<i64> {
        match self {
            Self::Paused => None,
            Self::Rate(calls) => Some(calls.into()),
            Self::Breaker { open } => Some(open.into()),
        }
    }

    /// True for what happens at a moment: said again, it happens again.
    #[must_use]
    pub const fn is_a_moment(self) -> bool {
        matches!(self, Self::Breaker { open: false })
    }

    /// A setting that was kept; `None` for one of a later version.
    #[must_use]
    pub fn read(word: &str, value: Option<i64>) -> Option<Self> {
        match (SettingKind::read(word)?, value) {
            (SettingKind::Paused, _) => Some(Self::Paused),
            (SettingKind::Rate, value) => u32::try_from(value?).ok().map(Self::Rate),
            (SettingKind::Breaker, value) => value.map(|value| Self::Breaker { open: value != 0 }),
        }
    }
}

impl SettingKind {
    const ALL: [Self; 3] = [Self::Paused, Self::Rate, Self::Breaker];

    /// The word under which it is kept.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Paused => "PAUSED",
            Self::Rate => "RATE",
            Self::Breaker => "BREAKER",
        }
    }

    fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// What somebody says about something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlChange {
    /// It is to be so.
    Set(Setting),
    /// Nothing is said of that any more.
    Clear(SettingKind),
}

impl ControlChange {
    /// What it is about.
    #[must_use]
    pub const fn about(self) -> SettingKind {
        match self {
            Self::Set(setting) => setting.kind(),
            Self::Clear(kind) => kind,
        }
    }
}

/// A control as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// Of what.
    pub of: SteeredThing,
    /// How it is to be.
    pub setting: Setting,
    /// Who said so.
    pub actor: String,
    /// Why, in the words of who said it.
    pub reason: String,
    /// Since when, by the database's clock.
    pub since: Timestamp,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlChanged {
    /// False when it was so already: then nothing was written, and the audit has no entry.
    pub changed: bool,
    /// The control as it is kept now; none after it was cleared.
    pub control: Option<Control>,
}

/// What is steered.
#[async_trait]
pub trait Controls: Send + Sync {
    /// Says how something is to be, with the entry of the audit, in one transaction. The actor and the reason are
    /// those of the entry. What is so already stays as it was said first, without an entry, unless it
    /// [is a moment](Setting::is_a_moment).
    ///
    /// # Errors
    /// When nothing was changed.
    async fn change_control(
        &self,
        of: &SteeredThing,
        change: ControlChange,
        entry: &AuditEntry,
    ) -> Result<ControlChanged, StoreError>;

    /// All controls, in the order of what they are of. There are few: at most one of each setting for each thing
    /// that a deployment has a name for.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn controls(&self) -> Result<Vec<Control>, StoreError>;
}
