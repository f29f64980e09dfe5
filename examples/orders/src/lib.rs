//! Orders: a request becomes a row of ORDERS and a confirmation, each exactly once.
//!
//! [`OrderProcess`] hears requests, [`ProductProcess`] keeps what can be ordered. An order of a product that is not
//! listed yet is tried again, one that makes no sense is refused at once; what fails for good goes to
//! `order-requests-dlt`. What each event means in each state is written down in `docs/processes/order.md`, and tested
//! in `tests/`.

mod order;
mod product;
mod tables;

pub use order::{OrderData, OrderEvent, OrderProcess, OrderRequested, OrderState};
pub use product::{ProductData, ProductEvent, ProductListed, ProductProcess, ProductState};
pub use tables::Tables;
