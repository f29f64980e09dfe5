//! The PostgreSQL store on real servers, 15 and 18.

#![expect(clippy::unwrap_used, reason = "all of this is test code: an unwrap is an assertion")]

mod bad_input;
mod handlers;
mod jobs;
mod locked;
mod migrating;
mod operators;
mod overtaking;
mod plans;
mod processes;
mod round_trips;
mod seeds;
mod states_gone;
mod stuck;
mod support;
mod user_sql;
mod waking;

mod conformance_15 {
    dipmo_store_tests::conformance!(crate::support::fixture::Postgres<15>);
}

mod conformance_18 {
    dipmo_store_tests::conformance!(crate::support::fixture::Postgres<18>);
}
