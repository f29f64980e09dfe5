//! Several requests in one call: families all or nothing, or records by the thousand.

use dipmo_salesforce::{Composite, Error, MAX_COLLECTION_RECORDS, SubResponse};

use super::collections::keyed;
use super::{Outcome, family, items, records};
use crate::org::OrgContext;
use crate::slice::Write;

/// Of the requests of a composite so many may be collections.
pub(crate) const MAX_COLLECTIONS: usize = 5;

/// Upserts records, each for itself; with children, all of the call or nothing.
pub(super) async fn call(org: &OrgContext, writes: &[&Write]) -> Result<Vec<Outcome>, Error> {
    if org.mapping.children.is_empty() {
        each(org, writes).await
    } else {
        families(org, writes).await
    }
}

async fn each(org: &OrgContext, writes: &[&Write]) -> Result<Vec<Outcome>, Error> {
    let (object, field) = (&*org.mapping.object, &*org.mapping.external_id);
    let request = |(place, chunk): (usize, &[&Write])| {
        let records = records(chunk).map(|record| keyed(record.rest(), field, &record.key));
        items::collection(org, format!("c{place}"), object, field, false, records)
    };
    let chunks = || writes.chunks(MAX_COLLECTION_RECORDS);
    let requests = chunks().enumerate().map(request).collect();
    let composite = Composite { all_or_none: false, collate: false, requests };
    let responses = org.client.composite(&composite).await?;
    let outcomes = chunks().zip(&responses).flat_map(|(chunk, response)| {
        let mut outcomes = items::outcomes(response);
        if let ([Err(error)], true) = (&*outcomes, chunk.len() > 1) {
            // The request was refused as a whole.
            outcomes = vec![Err(error.clone()); chunk.len()];
        }
        outcomes.into_iter().map(|answer| answer.map(Some))
    });
    Ok(outcomes.collect())
}

/// One refusal undoes all: the other families are innocent, and are sent again without it.
async fn families(org: &OrgContext, writes: &[&Write]) -> Result<Vec<Outcome>, Error> {
    let mut requests = Vec::new();
    let mut sizes = Vec::with_capacity(writes.len());
    for (place, record) in records(writes).enumerate() {
        let family = family::requests(org, &format!("r{place}"), record)?;
        sizes.push(family.len());
        requests.extend(family);
    }
    // A child must not run before its parent.
    let composite = Composite { all_or_none: true, collate: false, requests };
    let responses = org.client.composite(&composite).await?;
    let mut rest: &[SubResponse] = &responses;
    let outcome = |size: usize| {
        let (family, others) = rest.split_at(size.min(rest.len()));
        rest = others;
        family::outcome(family)
    };
    Ok(sizes.into_iter().map(outcome).collect())
}
