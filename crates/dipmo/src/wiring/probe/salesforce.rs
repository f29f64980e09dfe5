//! Salesforce: whether the login works, and the objects have the fields that the mappings fill.

use std::sync::Arc;
use std::time::Duration;

use dipmo_config::Problem;
use dipmo_domain::Code;
use dipmo_salesforce::Client;
use dipmo_sink_salesforce::{OrgOptions, SalesforceSinkOptions};
use futures_util::future::join_all;
use tokio::time::timeout;

use super::Row;
use crate::wiring::nowhere::Nowhere;
use crate::wiring::salesforce::{DEFAULT_ORG, SalesforcePlan};

/// Asks every org.
pub(super) async fn orgs(plan: &SalesforcePlan, within: Duration) -> Vec<Row> {
    let asked = plan.options.orgs.iter().map(|org| async move {
        let name = org.name.as_deref().unwrap_or(DEFAULT_ORG);
        let at = format!("salesforce {name}");
        match timeout(within, ask(plan, org, name, &at)).await {
            Ok(rows) => rows,
            Err(_) => {
                vec![Row::wrong(&at, "login", failed(plan, name, "it did not answer in time"))]
            }
        }
    });
    join_all(asked).await.into_iter().flatten().collect()
}

async fn ask(plan: &SalesforcePlan, org: &OrgOptions, name: &str, at: &str) -> Vec<Row> {
    let login = async {
        let client = Client::new(org.client.clone())?;
        client.login().await
    };
    if let Err(error) = login.await {
        let words = format!("{} ({})", error.message(), error.code());
        return vec![Row::wrong(at, "login", failed(plan, name, &words))];
    }
    let mut rows = vec![Row::ok(at, "login", "is taken")];
    let options = SalesforceSinkOptions { orgs: vec![org.clone()], ..plan.options.clone() };
    let alone = SalesforcePlan { options, places: plan.places.clone() };
    // No row is read to describe an object.
    let publisher = match alone.publisher(Arc::new(Nowhere)) {
        Ok(publisher) => publisher,
        Err(problem) => return vec![Row::wrong(at, "mappings", *problem)],
    };
    let problems = publisher.check().await;
    for mapping in &org.mappings {
        let of_children = mapping.children.iter().map(|child| &child.object);
        let objects: Vec<&String> = [&mapping.object].into_iter().chain(of_children).collect();
        let about = problems.iter().filter(|problem| objects.contains(&&problem.object));
        let what = format!("object {}", mapping.object);
        let wrong: Vec<Row> = about
            .map(|problem| Row::wrong(at, what.clone(), plan.places.about_mapping(problem)))
            .collect();
        if wrong.is_empty() {
            let answer = format!("has its external id and {} fields", mapping.fields.len());
            rows.push(Row::ok(at, what, answer));
        }
        rows.extend(wrong);
    }
    rows
}

fn failed(plan: &SalesforcePlan, org: &str, words: &str) -> Problem {
    let code = Code::new("salesforce-check-failed");
    let message = format!("the org `{org}` could not be asked: {words}");
    let hint = "look at the URL, at the login, and at whether the connected app lets its user in";
    Problem::error(code, plan.places.url(org), message).hint(hint)
}
