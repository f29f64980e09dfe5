//! Several requests in one call: families all or nothing, or records by the thousand.

use dipmo_salesforce::{
    Class, Composite, Error, MAX_COLLECTION_RECORDS, SubRequest, SubResponse, Upserted,
};

use super::collections::keyed;
use super::{Outcome, Refusal, family, records};
use crate::org::OrgContext;
use crate::slice::Write;
use crate::verdict;

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
        let (version, reference) = (org.client.api_version(), format!("c{place}"));
        SubRequest::collection(version, reference, (object, field), records, false)
    };
    let chunks = || writes.chunks(MAX_COLLECTION_RECORDS);
    let requests = chunks().enumerate().map(request).collect::<Result<_, _>>()?;
    let composite = Composite { all_or_none: false, collate: false, requests };
    let responses = org.client.composite(&composite).await?;
    Ok(chunks().zip(&responses).flat_map(|(chunk, it)| outcomes(chunk.len(), it)).collect())
}

/// What became of the records of a collection, which may have been refused as a whole.
fn outcomes(records: usize, response: &SubResponse) -> Vec<Outcome> {
    let outcomes = response.outcomes();
    match &*outcomes {
        [Err(error)] if records > 1 => {
            let blames_all = error.class() != Class::Permanent || verdict::blames_mapping(error);
            let refusal = if blames_all { Refusal::Row } else { Refusal::Shared };
            vec![Err(refusal(error.clone())); records]
        }
        _ => {
            let outcome = |it: Result<Upserted, _>| it.map(|it| Some(it.id)).map_err(Refusal::Row);
            outcomes.into_iter().map(outcome).collect()
        }
    }
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
