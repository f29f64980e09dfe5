//! What `Auto` chooses, and that it says why.

use std::time::Duration;

use dipmo_domain::{Destination, SalesforceApi};
use dipmo_outbox::{JobPlan, Publisher as _};
use dipmo_sink_salesforce::Way;
use serde_json::json;

use crate::support::{World, accounts, carried, families_with_members, is_delivered, unit, units};

/// How often `Auto` chose an API for an object, by reason.
fn choices(world: &World, object: &str) -> Vec<(SalesforceApi, &'static str, u64)> {
    let ways = world.publisher.metrics().snapshot().ways;
    ways.into_iter()
        .filter(|(way, _)| way.object == object)
        .flat_map(|(Way { api, .. }, figures)| {
            figures.choices.into_iter().map(move |(reason, times)| (api, reason, times))
        })
        .collect()
}

#[tokio::test]
async fn one_record_goes_by_itself_and_several_together() {
    let world = World::new(vec![carried()]).await;
    let payload = json!({ "lastName": "Ada", "version": 1 });
    let to = "HTTP:SFDC:Auto:Contact";
    assert!(world.publish(&[unit(to, 1, "C-1", &payload)]).await.iter().all(is_delivered));
    let keys = (1..=20).map(|number| format!("C-{number}"));
    assert!(world.publish(&units(to, keys, &payload)).await.iter().all(is_delivered));
    let apis: Vec<_> = world.writes().iter().map(|call| call.api).collect();
    assert_eq!(apis, ["sobject", "collections"]);
    let expected = [
        (SalesforceApi::Rest, "one-record", 1),
        (SalesforceApi::Collections, "several-records", 1),
    ];
    assert_eq!(choices(&world, "Contact"), expected);
}

#[tokio::test]
async fn never_a_call_for_each_record_where_a_batch_would_do() {
    let world = World::new(vec![carried().partial()]).await;
    let to = "HTTP:SFDC:Auto:Contact";
    // Changes of 300 records, two of each: two rounds of two calls.
    let slice: Vec<_> = (0..600)
        .map(|number| {
            let payload = json!({ "lastName": "Ada", "version": number });
            unit(to, number, &format!("C-{}", number % 300), &payload)
        })
        .collect();
    assert!(world.publish(&slice).await.iter().all(is_delivered));
    assert_eq!(world.writes().len(), 4);
    let records: u64 =
        world.publisher.metrics().snapshot().ways.values().map(|figures| figures.records).sum();
    assert_eq!(records, 600);
}

#[tokio::test]
async fn records_that_depend_on_each_other_are_waves_of_batches() {
    let world = World::new(vec![accounts()]).await;
    let slice: Vec<_> = (0..90)
        .map(|number| {
            let parent = (number >= 30).then(|| format!("A-{}", number - 30));
            let payload = json!({ "name": "Acme", "parent": parent });
            unit("HTTP:SFDC:Auto:Account", number, &format!("A-{number}"), &payload)
        })
        .collect();
    assert!(world.publish(&slice).await.iter().all(is_delivered));
    assert_eq!(world.writes().len(), 3);
}

#[tokio::test]
async fn families_are_graphs() {
    let world = World::new(vec![families_with_members()]).await;
    let slice: Vec<_> = (1..=60)
        .map(|number| {
            let members = json!([{ "id": format!("M-{number}"), "lastName": "Ada" }]);
            let payload = json!({ "name": "Lovelace", "members": members });
            unit("HTTP:SFDC:Auto:Family__c", number, &format!("F-{number}"), &payload)
        })
        .collect();
    assert!(world.publish(&slice).await.iter().all(is_delivered));
    assert_eq!(world.writes().len(), 1);
    let expected = [(SalesforceApi::Graph, "parents-with-children", 1)];
    assert_eq!(choices(&world, "Family__c"), expected);
    let to: Destination = "HTTP:SFDC:Auto:Family__c".parse().unwrap();
    assert_eq!(world.publisher.job_plan(&to), None, "a job cannot write all or nothing");
}

#[tokio::test]
async fn jobs_are_for_many_for_whoever_can_wait_and_for_whoever_has_few_calls_left() {
    let auto: Destination = "HTTP:SFDC:Auto:Contact".parse().unwrap();
    let least = |world: &World| world.publisher.job_plan(&auto).map(|plan| plan.least);
    let world = World::new(vec![carried()]).await;
    assert_eq!(least(&world), Some(2_000));
    let bulk: Destination = "HTTP:SFDC:BulkV2:Contact".parse().unwrap();
    let plan = world.publisher.job_plan(&bulk);
    assert!(matches!(plan, Some(JobPlan { least: 1, .. })), "{plan:?}");
    for api in ["Rest", "Collections", "Composite", "Graph"] {
        let to: Destination = format!("HTTP:SFDC:{api}:Contact").parse().unwrap();
        assert_eq!(world.publisher.job_plan(&to), None);
    }
    let hurried = World::with(vec![carried()], |options| {
        options.auto.latency = Duration::from_secs(10);
    })
    .await;
    assert_eq!(least(&hurried), Some(15_000));
    // Two thirds of the day's calls are spent, as the first answer tells.
    let schema = "limits: { daily_requests: 1000 }";
    let scarce = World::in_org(schema, vec![carried()], |options| {
        options.auto.latency = Duration::from_secs(10);
        options.auto.scarce = 1.0;
    })
    .await;
    assert_eq!(least(&scarce), Some(15_000), "nothing is known yet");
    let slice = [unit("HTTP:SFDC:Auto:Contact", 1, "C-1", &json!({ "lastName": "Ada" }))];
    assert!(scarce.publish(&slice).await.iter().all(is_delivered));
    assert_eq!(least(&scarce), Some(2_000));
}
