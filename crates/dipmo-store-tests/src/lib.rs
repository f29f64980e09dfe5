//! The conformance suite: what `docs/store-contract.md` says, as tests that every store runs.
//!
//! A store implements [`Fixture`] in its `tests/` folder and calls the macro:
//!
//! ```ignore
//! dipmo_store_tests::conformance!(MyFixture);
//! ```
//!
//! Each test then shows under a name of its own, such as `dedupe::the_same_message_twice`.
//!
//! A store that people can operate implements [`OperableFixture`] as well and calls [`operable_conformance!`].
//!
//! **A capability that a store lacks never reads as passed.** The macro takes words for what a
//! store cannot do; the tests that need it are not there, and others that say what holds instead
//! are there in their place. See [`conformance!`].
//!
//! **Invariant:** no test sleeps. A test makes things due or run out at once (`Duration::ZERO`),
//! or never within its life ([`support::LONG`]), and waits for named events.

#![expect(
    clippy::unwrap_used,
    reason = "all of this crate is test code: an unwrap is an assertion"
)]

mod conformance;
mod fixture;
mod operable;
mod run;
pub mod suite;
pub mod support;
mod tables;

pub use fixture::{Fixture, OperableFixture};
pub use run::run;
pub use tables::{
    ITEMS_BY_REGION, ITEMS_OF_NUMBER, LABEL_BY_ID, items_table, labels_table, suite_process,
    suite_tables,
};
