//! What was seen of an instance at one moment: all that is judged by, and no clock.

use std::collections::BTreeMap;
use std::time::Duration;

/// How an instance stands at one moment. Times are how long ago, or for how long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// True once it was told to stop: what ends from then on ends as it should.
    pub stopping: bool,
    /// What it waits for before anything of it runs.
    pub starting: Option<String>,
    /// The database.
    pub store: StoreSeen,
    /// What runs in this instance, by name.
    pub parts: BTreeMap<String, PartSeen>,
    /// When somebody last counted what waits; `None` when nobody has yet.
    pub counted: Option<Duration>,
    /// What waits for a part of this instance and could be worked on.
    pub queues: Vec<QueueSeen>,
    /// The age of the oldest job that has not ended, by destination.
    pub jobs: BTreeMap<String, Duration>,
}

/// How the database is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreSeen {
    /// True when there is none, and none is wanted: what runs does without.
    pub absent: bool,
    /// When it last answered anything; `None` when it never did.
    pub answered: Option<Duration>,
    /// Since when every question fails, and how the last one did.
    pub away: Option<(Duration, Trouble)>,
    /// When a call of anybody last failed.
    pub failed: Option<Duration>,
    /// Why its schema does not fit.
    pub schema: Option<Trouble>,
}

/// A part of an instance: a role of the engine, or a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartSeen {
    /// Tasks that are alive.
    pub tasks: usize,
    /// For how long it has had none.
    pub gone: Option<Duration>,
    /// Why it cannot work now, by its own word.
    pub trouble: Option<Trouble>,
    /// What is wrong with some of its work, while the rest goes on.
    pub note: Option<Trouble>,
    /// How it gets on, where it tells.
    pub progress: Progress,
}

/// How a part gets on that has a loop of its own, such as one that polls a broker. It says what it sees, and
/// whether that is too long is judged elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// When its loop last came round; `None` while there is none to come round.
    pub turned: Option<Duration>,
    /// For how long something has been there for it to do, and none of it was done.
    pub undone: Option<Duration>,
    /// Why it rests on purpose, and for how long it has.
    pub paused: Option<(Trouble, Duration)>,
}

/// Something that can be looked up, in the words of who met it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// An error code with a page in `docs/errors/`, or a word that says enough, such as `joining`.
    pub code: String,
    /// What is wrong, for a person.
    pub text: String,
}

/// Messages of the inbox, or units of a destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueSeen {
    /// `inbox`, or the destination.
    pub name: String,
    /// How long the oldest has waited that could be worked on now.
    pub age: Duration,
    /// For how long that has been the same one: nobody anywhere has worked on it.
    pub unmoved: Duration,
    /// For how long this instance has worked on none of them.
    pub idle: Duration,
    /// Why nothing of it is worked on, when that is known.
    pub excuse: Option<Excuse>,
}

/// Why a queue rests although something waits in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Excuse {
    /// The destination takes nothing now: its publisher says why.
    Closed(Trouble),
    /// An operator holds it back: who, since when and why.
    Paused(Trouble),
    /// No publisher of this instance serves it.
    Unserved,
    /// A job is under way, which takes couriers and lanes; its age is judged instead.
    Job,
}
