//! Up to 200 records a call, each for itself.

use dipmo_salesforce::{Error, Fields, RowError, Upserted};
use serde_json::Value as Json;

use super::{Outcome, Refusal, records};
use crate::org::OrgContext;
use crate::slice::Write;

/// Upserts records; one that is refused does not concern the others.
pub(super) async fn call(org: &OrgContext, writes: &[&Write]) -> Result<Vec<Outcome>, Error> {
    let (object, field) = (&org.mapping.object, &org.mapping.external_id);
    let records: Vec<Fields> =
        records(writes).map(|record| keyed(record.rest(), field, &record.key)).collect();
    let answers = org.client.upsert_many(object, field, &records, false).await?;
    let outcome = |answer: Result<Upserted, RowError>| {
        answer.map(|upserted| Some(upserted.id)).map_err(Refusal::Row)
    };
    Ok(answers.into_iter().map(outcome).collect())
}

/// A record with its external id, as a collection wants it.
pub(super) fn keyed(mut fields: Fields, external_id: &str, key: &str) -> Fields {
    fields.insert(external_id.to_owned(), Json::String(key.to_owned()));
    fields
}
