//! The family process: takes the state of a family, its members and its blocks into the tables.

mod changes;
mod event;
mod process;
mod state;

pub use event::{Block, BlocksChanged, FamilyChanged, FamilyEvent, Member, MembersChanged};
pub use process::{FamilyData, FamilyProcess};
pub use state::FamilyState;
