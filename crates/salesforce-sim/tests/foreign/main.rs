//! Clients that others wrote: what they ask is answered as they expect, and what the simulator says
//! was applied is what they were told.
//!
//! An operation is one function, and every client goes through it: it runs the operation of the same
//! name in the client's script in `tests/clients`, and compares what the client understood with what
//! must be. The simulator is the program itself, as a user starts it, and knows none of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod keys;
mod ledger;
mod operations;
mod script;
mod sf;
mod simulator;

/// Tests of one client: those that all clients have, and some of its own.
macro_rules! client {
    ($module:ident = $client:expr; $($own:ident),*) => {
        mod $module {
            use crate::{operations, script::Client};

            const CLIENT: Client = $client;

            client!(@ authenticates_with_client_credentials authenticates_with_jwt_bearer
                upserts_one_record upserts_a_collection_with_a_bad_row runs_a_composite_with_references
                runs_a_bulk_job_with_good_and_bad_rows reads_unprocessed_rows_of_a_bulk_job
                deletes_one_by_one_and_in_bulk queries_more_than_one_page reads_limits
                describes_objects_and_fields is_told_its_mistakes
                refreshes_a_session_that_was_revoked $($own)*);
        }
    };
    (@ $($operation:ident)*) => {
        $(
            #[test]
            fn $operation() {
                operations::$operation(CLIENT);
            }
        )*
    };
}

client!(jsforce = Client::Jsforce; learns_who_it_is, refreshes_a_session_inside_a_bulk_job);
client!(simple_salesforce = Client::SimpleSalesforce; loses_its_session_inside_a_bulk_job);
