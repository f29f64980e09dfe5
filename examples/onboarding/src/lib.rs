//! The onboarding process: a new customer is qualified and gets a block until papers are checked.
//!
//! Start reading at [`OnboardingProcess`]. A block is created in the same step, or asked for and
//! awaited ([`Blocking`]): the outbox makes both durable. What happens to an event that comes twice,
//! too late or too early is written down in `docs/processes/onboarding.md`, and tested in `tests/`.

mod decide;
mod event;
mod process;
mod state;
mod step;
mod tables;

pub use event::{BlockCreated, BlockRefused, OnboardingEvent, OnboardingRequested};
pub use process::{Blocking, OnboardingData, OnboardingProcess};
pub use state::OnboardingState;
