//! Parts of lists.

use dipmo_domain::Timestamp;

use crate::StateRow;

/// So many rows a page has at most; whoever asks for more gets as many.
pub const MOST_ON_A_PAGE: u32 = 500;

/// Which part of a list is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// How many rows at most.
    pub limit: u32,
    /// Only what has a lower id; `None` begins with the newest.
    pub before: Option<i64>,
}

impl Page {
    /// The newest rows.
    #[must_use]
    pub const fn first(limit: u32) -> Self {
        Self { limit, before: None }
    }

    /// How many rows are wanted, within what a page may have.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.limit.clamp(1, MOST_ON_A_PAGE)
    }
}

/// A part of a list, the newest first.
///
/// A store looks through so many rows for one page and not further, so that no filter makes it read all of
/// history: a page may have fewer rows than were asked for, or none, and the list still goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// [`Page::before`] of what follows; `None` when nothing does.
    pub next: Option<i64>,
    /// How far back was looked, when something follows.
    pub searched_to: Option<Timestamp>,
}

/// Instances of a process, by their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstancePage {
    /// The instances.
    pub rows: Vec<StateRow>,
    /// The id behind which it goes on; `None` when nothing follows.
    pub next: Option<String>,
}
