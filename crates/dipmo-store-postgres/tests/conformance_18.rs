//! The conformance suite on PostgreSQL 18.

#![expect(dead_code, reason = "each test binary uses a part of the support")]
mod support;

dipmo_store_tests::conformance!(support::fixture::Postgres18);
