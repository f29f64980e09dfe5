//! A product, which can be ordered once it is listed.

mod event;
mod process;
mod state;

pub use event::{ProductEvent, ProductListed};
pub use process::{ProductData, ProductProcess};
pub use state::ProductState;
