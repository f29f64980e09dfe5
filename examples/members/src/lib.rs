//! Families, their members and blocks: kept in tables as their source tells them, and sent to
//! Salesforce.
//!
//! Three processes read the topic [`TOPIC`], in which all that is about a family has the family as its
//! aggregate and so stays in order. [`FamilyProcess`] takes the state of things into the [`Tables`];
//! [`MembersCreatedProcess`] and [`BlocksToCreateProcess`] send what an announcement names, one intent
//! for all of it, and end when Salesforce has answered for each record. Events are small: ids and a
//! version. What is sent is read from the tables at the last moment, by the [`mappings`].
//!
//! What each event means in each state is written down in `docs/processes/family.md` and
//! `docs/processes/delivery.md`, and tested in `tests/`.

mod delivery;
mod family;
mod mapping;
mod salesforce;
mod tables;

pub use delivery::{
    BlocksToCreate, BlocksToCreateEvent, BlocksToCreateProcess, DeliveryData, DeliveryState,
    MembersCreated, MembersCreatedEvent, MembersCreatedProcess,
};
pub use family::{
    Block, BlocksChanged, FamilyChanged, FamilyData, FamilyEvent, FamilyProcess, FamilyState,
    Member, MembersChanged,
};
pub use mapping::mappings;
pub use tables::Tables;

/// Where everything about families comes from. One topic for states and announcements, keyed by
/// family: on two topics an announcement could come before what it announces.
pub const TOPIC: &str = "families";
