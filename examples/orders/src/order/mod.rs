//! An order, from the request to the confirmation.

mod event;
mod process;
mod state;

pub use event::{OrderEvent, OrderRequested};
pub use process::{OrderData, OrderProcess};
pub use state::OrderState;
