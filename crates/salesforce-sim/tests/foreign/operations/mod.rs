//! What every client does, and what must come of it.

mod bulk;
mod mistakes;
mod reading;
mod records;
mod sessions;

pub(crate) use bulk::{
    reads_unprocessed_rows_of_a_bulk_job, runs_a_bulk_job_with_good_and_bad_rows,
};
pub(crate) use mistakes::is_told_its_mistakes;
pub(crate) use reading::{describes_objects_and_fields, queries_more_than_one_page, reads_limits};
pub(crate) use records::{
    deletes_one_by_one_and_in_bulk, runs_a_composite_with_references,
    upserts_a_collection_with_a_bad_row, upserts_one_record,
};
pub(crate) use sessions::{
    authenticates_with_client_credentials, authenticates_with_jwt_bearer, learns_who_it_is,
    loses_its_session_inside_a_bulk_job, refreshes_a_session_inside_a_bulk_job,
    refreshes_a_session_that_was_revoked,
};
