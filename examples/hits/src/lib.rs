//! The hit process: notification 126 becomes a hit, the hit is qualified, a positive one reviewed.
//!
//! Start reading at [`HitProcess`], whose `decide` has one function for each event; the states and
//! their diagram are in [`HitState`]. What happens to an event that comes twice, too late or too
//! early is written down in `docs/processes/hit.md`, and tested in `tests/`.

mod decide;
mod event;
mod process;
mod state;
mod step;
mod tables;

pub use event::{HitAborted, HitAssessed, HitEvent, NotificationReceived, ReviewCompleted};
pub use process::{HitData, HitProcess};
pub use state::HitState;
