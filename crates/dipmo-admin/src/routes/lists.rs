//! What lists have in common.

use dipmo_store::admin::{Listing, MOST_ON_A_PAGE, Page};
use serde::Serialize;
use utoipa::ToSchema;

use crate::moment::Moment;
use crate::params::{Field, Given, Kind, Query};
use crate::problem::Problem;

/// So many rows, when nobody says how many.
const USUAL: u32 = 50;

const LIMIT: Field = Field {
    name: "limit",
    about: "How many at most. Defaults to 50.",
    kind: Kind::Number(1, MOST_ON_A_PAGE as i64),
};

const BEFORE: Field = Field::id("before", "Only what has a lower id: `next` of the page before.");

/// A part of a list, the newest first. A page may have fewer rows than were asked for, or none, and go on:
/// only so many rows are looked through for one page.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageOf<T> {
    /// The rows.
    pub(crate) rows: Vec<T>,
    /// `before` of what follows; null when nothing does.
    pub(crate) next: Option<i64>,
    /// How far back was looked, when something follows.
    pub(crate) searched_to: Option<Moment>,
}

impl<T> PageOf<T> {
    /// A page whose rows are shown so.
    pub(crate) fn of<R>(listing: &Listing<R>, show: impl Fn(&R) -> T) -> Self {
        Self {
            rows: listing.rows.iter().map(show).collect(),
            next: listing.next,
            searched_to: listing.searched_to.map(Moment),
        }
    }
}

/// All rows of a short list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AllOf<T> {
    /// The rows.
    pub(crate) rows: Vec<T>,
}

impl<T> AllOf<T> {
    /// A list whose rows are shown so.
    pub(crate) fn of<R>(rows: &[R], show: impl Fn(&R) -> T) -> Self {
        Self { rows: rows.iter().map(show).collect() }
    }
}

impl Query for Page {
    fn fields() -> Vec<&'static Field> {
        vec![&LIMIT, &BEFORE]
    }

    fn read(given: &Given) -> Result<Self, Problem> {
        Ok(Self { limit: Limit::read(given)?.0, before: given.number(BEFORE.name)? })
    }
}

/// How many rows of a list without pages.
pub(crate) struct Limit(pub(crate) u32);

impl Query for Limit {
    fn fields() -> Vec<&'static Field> {
        vec![&LIMIT]
    }

    fn read(given: &Given) -> Result<Self, Problem> {
        let limit = given.number(LIMIT.name)?.and_then(|limit| u32::try_from(limit).ok());
        Ok(Self(limit.unwrap_or(USUAL)))
    }
}

/// A query that says nothing.
pub(crate) struct Nothing;

impl Query for Nothing {
    fn fields() -> Vec<&'static Field> {
        Vec::new()
    }

    fn read(_: &Given) -> Result<Self, Problem> {
        Ok(Self)
    }
}
