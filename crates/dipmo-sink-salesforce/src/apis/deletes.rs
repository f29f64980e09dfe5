//! Several deletes in one call, each for itself.

use dipmo_salesforce::{Composite, Error, RecordRef, RowError, SubRequest, SubResponse};

use super::{Outcome, Refusal};
use crate::org::OrgContext;
use crate::slice::Write;

/// Deletes records by their external ids. One that is not there is deleted.
pub(super) async fn call(org: &OrgContext, writes: &[&Write]) -> Result<Vec<Outcome>, Error> {
    let (object, field) = (&*org.mapping.object, &*org.mapping.external_id);
    let request = |(place, write): (usize, &&Write)| {
        let at = RecordRef { object, field, key: write.key() };
        SubRequest::delete(org.client.api_version(), format!("d{place}"), &at)
    };
    let requests = writes.iter().enumerate().map(request).collect::<Result<_, _>>()?;
    let composite = Composite { all_or_none: false, collate: false, requests };
    Ok(org.client.composite(&composite).await?.iter().map(outcome).collect())
}

fn outcome(response: &SubResponse) -> Outcome {
    match response.outcome() {
        Err(error) if is_gone(&error) => Ok(None),
        answer => answer.map(|_| None).map_err(Refusal::Row),
    }
}

fn is_gone(error: &RowError) -> bool {
    match &*error.code {
        "ENTITY_IS_DELETED" => true,
        // A field that is no external id is not found either.
        "NOT_FOUND" => !error.message.contains("external ID field"),
        _ => false,
    }
}
