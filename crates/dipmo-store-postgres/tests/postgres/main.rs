//! The PostgreSQL store on real servers, 15 and 18.

#![expect(clippy::unwrap_used, reason = "all of this is test code: an unwrap is an assertion")]

mod bad_input;
mod erasure_plans;
mod failing;
mod failing_storm;
mod handlers;
mod jobs;
mod lists;
mod lists_plans;
mod locked;
mod migrating;
mod operations;
mod operations_plans;
mod operators;
mod overtaking;
mod plans;
mod processes;
mod reports_plans;
mod round_trips;
mod seeds;
mod states_gone;
mod stuck;
mod support;
mod tls;
mod user_sql;
mod waking;

mod conformance_15 {
    dipmo_store_tests::conformance!(crate::support::fixture::Postgres<15>);
    dipmo_store_tests::operable_conformance!(crate::support::fixture::Postgres<15>);
}

mod conformance_18 {
    dipmo_store_tests::conformance!(crate::support::fixture::Postgres<18>);
    dipmo_store_tests::operable_conformance!(crate::support::fixture::Postgres<18>);
}
