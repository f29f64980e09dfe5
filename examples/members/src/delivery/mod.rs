//! Deliveries: what an announcement names goes out as one intent, and the answer for each record
//! ends it.

mod blocks;
mod members;
mod state;
mod step;

pub use blocks::{BlocksToCreate, BlocksToCreateEvent, BlocksToCreateProcess};
pub use members::{MembersCreated, MembersCreatedEvent, MembersCreatedProcess};
pub use state::{DeliveryData, DeliveryState};
