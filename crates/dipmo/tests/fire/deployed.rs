//! A deployment that changes a mapping while a job of the one before is unfinished.

use std::sync::Arc;
use std::time::Duration;

use dipmo_outbox::JobPhase;
use dipmo_salesforce::{Auth, ClientOptions, Secret};
use dipmo_sink_salesforce::{
    BulkOptions, ChildMapping, ChildSource, ObjectMapping, OrgOptions, Origin, SalesforcePublisher,
    SalesforceSinkOptions, Source,
};
use dipmo_store::Store;
use salesforce_sim::{Options, Simulator};
use serde_json::json;

use crate::parts::engine::{Running, engine, hurried};
use crate::parts::look::until;
use crate::parts::place::Place;
use crate::parts::step::{Step, message};

const TO: &str = "HTTP:SFDC:BulkV2:Contact";

fn contacts() -> ObjectMapping {
    ObjectMapping::new("Contact", "ExternalId__c", Source::payload())
        .field("LastName", Origin::Constant(json!("Ada")))
        .pointer("Version__c", "/n")
}

/// The same with children, which no row of a job can have.
fn with_children() -> ObjectMapping {
    let source = ChildSource::Payload { items: "/blocks".to_owned(), key: "/id".to_owned() };
    contacts().child(ChildMapping::new("Block__c", "ExternalId__c", "Contact__c", source))
}

fn run(store: &Arc<dyn Store>, salesforce: &Simulator, mapping: ObjectMapping) -> Running {
    let app = salesforce.credentials().unwrap();
    let client_secret = Secret::new(app.client_secret);
    let auth = Auth::ClientCredentials { client_id: app.client_id, client_secret };
    let client = ClientOptions::new(salesforce.url(), auth);
    let gather = Duration::from_millis(100);
    let options = SalesforceSinkOptions {
        bulk: BulkOptions { gather, ..BulkOptions::default() },
        ..SalesforceSinkOptions::new(vec![OrgOptions::new(client, vec![mapping])])
    };
    let publisher = SalesforcePublisher::new(options, Arc::clone(store) as _).unwrap();
    Running::start(engine(Arc::clone(store), hurried(), "HTTP:SFDC*", Arc::new(publisher)))
}

async fn tell(store: &dyn Store, names: std::ops::Range<u32>) {
    let step = Step { n: 1, tell: vec![TO.to_owned()], ..Step::default() };
    let messages: Vec<_> = names.map(|name| message(&format!("A-{name}"), &step)).collect();
    store.store(&messages, &[]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_of_before_the_mapping_had_children_holds_no_lanes() {
    let salesforce = Simulator::start(Options::default()).await.unwrap();
    let refuse = json!({ "when": { "api": "bulk.create" }, "fault": { "kind": "unavailable" } });
    salesforce.faults(json!({ "rules": [refuse] })).unwrap();
    let place = Place::sqlite().await;
    let store = place.store().await;
    tell(&*store, 0..20).await;
    let before = run(&store, &salesforce, contacts());
    until("a job", async || !store.jobs(10).await.unwrap().is_empty()).await;
    before.stop().await;
    let unfinished = async || {
        let jobs = store.jobs(10).await.unwrap();
        jobs.iter().filter(|job| job.phase != JobPhase::Ended).count()
    };
    assert_ne!(unfinished().await, 0);

    // More waits that is in no job, and would stop the destination.
    tell(&*store, 20..200).await;
    let after = run(&store, &salesforce, with_children());
    until("no job", async || unfinished().await == 0).await;
    let stopped = async || {
        let figures = after.metrics.snapshot();
        let why = figures.outbox.get(TO).and_then(|figures| figures.state.why());
        why.is_some_and(|why| why.code() == "salesforce-children-unsupported")
    };
    until("stopped", stopped).await;
    after.stop().await;
    // All of it waits for a person, and in no lane for a job.
    let backlog = store.backlog().await.unwrap();
    assert_eq!((backlog.outbox[TO].depth(), backlog.outbox[TO].failed), (200, 0));
    assert!(backlog.jobs.is_empty());
    assert!(salesforce.ledger("Contact").unwrap().is_empty());
    salesforce.stop().await;
}
