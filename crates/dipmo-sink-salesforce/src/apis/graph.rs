//! Families, each of which is applied as a whole or not at all, many in one call.

use dipmo_salesforce::{Error, Graph};

use super::{Outcome, family, records};
use crate::org::OrgContext;
use crate::slice::Write;

/// Upserts families; one that is refused does not concern the others.
pub(super) async fn call(org: &OrgContext, writes: &[&Write]) -> Result<Vec<Outcome>, Error> {
    let graph = |(place, record)| {
        let name = format!("r{place}");
        let requests = family::nodes(org, &name, record)?;
        Ok(Graph { id: name, requests })
    };
    let graphs = records(writes).enumerate().map(graph).collect::<Result<Vec<_>, Error>>()?;
    let answers = org.client.graph(&graphs).await?;
    Ok(answers.iter().map(|answer| family::outcome(&answer.responses)).collect())
}
