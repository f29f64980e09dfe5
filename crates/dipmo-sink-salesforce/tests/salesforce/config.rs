//! What is wrong with options, mappings and orgs, and how it is told.

use std::sync::Arc;

use dipmo_api::FactDefinition;
use dipmo_domain::{Coded as _, Destination};
use dipmo_outbox::{Published, Publisher as _, Readiness};
use dipmo_salesforce::{Auth, Secret};
use dipmo_sink_salesforce::{
    ObjectMapping, OrgOptions, Origin, SalesforcePublisher, SalesforceSinkOptions, SinkError,
    Source,
};
use salesforce_sim::{Options, Simulator};
use serde_json::json;

use crate::support::{
    Tables, World, blocks, carried, client, contacts, families, families_with_members,
    is_delivered, members, members_query, options, unit,
};

const TO: &str = "HTTP:SFDC:Collections:Contact";

fn stopped(world: &World, destination: &str) -> (String, String) {
    let to: Destination = destination.parse().unwrap();
    match world.publisher.readiness(&to) {
        Readiness::Stopped { why } => (why.code().to_owned(), why.message().to_owned()),
        other => panic!("{destination}: {other:?}"),
    }
}

async fn made(change: impl FnOnce(&mut SalesforceSinkOptions)) -> Result<(), SinkError> {
    let salesforce = Simulator::start(Options::default()).await.unwrap();
    let mut options = options(&salesforce, vec![contacts()]);
    change(&mut options);
    SalesforcePublisher::new(options, Arc::new(Tables::default())).map(drop)
}

fn by_query(fact: FactDefinition) -> ObjectMapping {
    ObjectMapping { source: Source::table(fact), ..contacts() }
}

#[tokio::test]
async fn a_mapping_that_could_never_work_is_told_when_the_publisher_is_made() {
    let of = |mapping: ObjectMapping, words: &'static str| (mapping, words);
    for (mapping, words) in [
        of(contacts().column("Title", "TITLE"), "Title: MEMBERS has no column TITLE"),
        of(contacts().pointer("Title", "title"), "Title: \"title\" is no JSON pointer"),
        of(contacts().column("LastName", "ID"), "LastName: it is filled twice"),
        of(contacts().column("ExternalId__c", "ID"), "ExternalId__c: it is filled twice"),
        of(contacts().correlate("LastName"), "LastName: it is filled twice"),
        of(carried().column("Title", "TITLE"), "Title: it has no table"),
        of(carried().pointer("Last Name", "/x"), "Last Name: \"Last Name\" is no name"),
        of(carried().field("Title", Origin::Constant(json!([]))), "Title: a field holds one value"),
        of(
            ObjectMapping { object: "Con tact".to_owned(), ..carried() },
            "mapping of Con tact: \"Con tact\" is no name",
        ),
        of(
            ObjectMapping::new("Contact", "ExternalId__c", Source::versioned(members(), "EMAIL")),
            "the column EMAIL of MEMBERS is no number",
        ),
        of(
            ObjectMapping { source: Source::table(members()), ..families_with_members() }
                .column("Status__c", "EMAIL"),
            "Contact: its parent is read from a table",
        ),
        of(
            by_query(FactDefinition::query_by("m", members_query(&["id", "other"]), "ID")),
            "the query members_of_interest must have one parameter, the key of the record",
        ),
        of(
            by_query(FactDefinition::query("m", members_query(&["id"]))),
            "it must be said which column of members_of_interest has the key of the record",
        ),
        of(
            by_query(FactDefinition::query_by("m", members_query(&["id"]), "KEY")),
            "members_of_interest has no column KEY",
        ),
        of(
            by_query(FactDefinition::query_by("m", members_query(&["id"]), "ID"))
                .column("Title", "TITLE"),
            "Title: members_of_interest has no column TITLE",
        ),
    ] {
        let error = made(|options| options.orgs[0].mappings = vec![mapping]).await.unwrap_err();
        assert_eq!(error.code().as_str(), "salesforce-mapping-invalid");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[tokio::test]
async fn options_that_cannot_be_used_are_told_when_the_publisher_is_made() {
    let twice = made(|options| options.orgs[0].mappings.push(carried())).await.unwrap_err();
    assert_eq!(twice.to_string(), "org \"default\" has two mappings for Contact");
    let orgs = made(|options| options.orgs.push(options.orgs[0].clone())).await.unwrap_err();
    assert_eq!(orgs.code().as_str(), "salesforce-org-twice");
    let url = made(|options| options.orgs[0].client.login_url = "acme".to_owned());
    let url = url.await.unwrap_err();
    assert_eq!(url.code().as_str(), "salesforce-options-invalid");
    assert!(url.to_string().contains("org \"default\": login_url"), "{url}");
    let breaker = made(|options| options.resilience.org.rate.calls = 0).await.unwrap_err();
    assert_eq!(breaker.code().as_str(), "salesforce-resilience-invalid");
}

#[tokio::test]
async fn trap_25_a_destination_that_is_not_configured_is_stopped_and_others_go_on() {
    let world = World::new(vec![carried()]).await;
    let (code, message) = stopped(&world, "HTTP:SFDC:Rest:Lead");
    assert_eq!(code, "salesforce-mapping-missing");
    assert_eq!(message, "HTTP:SFDC:Rest:Lead: the org has no mapping for Lead; known: Contact");
    let (code, message) = stopped(&world, "HTTP:SFDC@emea:Rest:Contact");
    assert_eq!(code, "salesforce-org-unknown");
    assert!(message.ends_with("known: default"), "{message}");
    let lead = [unit("HTTP:SFDC:Rest:Lead", 1, "L-1", &json!({}))];
    assert_eq!(world.publish(&lead).await, [Published::NotTried]);
    let contact = [unit(TO, 2, "C-1", &json!({ "lastName": "Ada" }))];
    assert!(is_delivered(&world.publish(&contact).await[0]));
}

#[tokio::test]
async fn what_goes_somewhere_else_is_refused() {
    let world = World::new(vec![carried()]).await;
    let kafka = [unit("KAFKA:orders", 1, "C-1", &json!({}))];
    let answers = world.publish(&kafka).await;
    assert_eq!(crate::support::refused(&answers[0]).0, "destination-not-salesforce");
}

#[tokio::test]
async fn a_slice_of_several_destinations_is_answered_in_its_order() {
    let world = World::new(vec![carried(), families()]).await;
    let slice = [
        unit(TO, 1, "C-1", &json!({ "lastName": "Ada" })),
        unit("HTTP:SFDC:Rest:Family__c", 2, "F-1", &json!({ "name": "Lovelace" })),
        unit(TO, 3, "C-2", &json!({})),
    ];
    let answers = world.publish(&slice).await;
    assert!(is_delivered(&answers[0]) && is_delivered(&answers[1]));
    assert_eq!(crate::support::refused(&answers[2]).0, "REQUIRED_FIELD_MISSING");
}

#[tokio::test]
async fn wrong_credentials_stop_the_org_and_cost_no_attempt() {
    let world = World::with(vec![carried()], |options| {
        options.orgs[0].client.auth = Auth::ClientCredentials {
            client_id: "client".to_owned(),
            client_secret: Secret::new("guessed-wrongly"),
        };
    })
    .await;
    let slice = [unit(TO, 1, "C-1", &json!({ "lastName": "Ada" }))];
    assert_eq!(world.publish(&slice).await, [Published::NotTried]);
    let (code, message) = stopped(&world, TO);
    assert_eq!(code, "invalid_client");
    assert!(message.starts_with(TO) && !message.contains("guessed"), "{message}");
}

#[tokio::test]
async fn a_url_at_which_there_is_no_salesforce_stops_the_destination() {
    let mut elsewhere = None;
    let world = World::with(vec![carried()], |options| {
        // Something answers, but it is no Salesforce: a server that closes what it gets.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        options.orgs[0].client.login_url = format!("http://{}", listener.local_addr().unwrap());
        elsewhere = Some(listener);
    })
    .await;
    let listener = elsewhere.unwrap();
    let server = std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = [0; 4096];
        assert!(stream.read(&mut asked).unwrap() > 0);
        let page =
            "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>";
        stream.write_all(page.as_bytes()).unwrap();
    });
    let slice = [unit(TO, 1, "C-1", &json!({ "lastName": "Ada" }))];
    assert_eq!(world.publish(&slice).await, [Published::NotTried]);
    server.join().unwrap();
    let (code, message) = stopped(&world, TO);
    assert_eq!(code, "salesforce-wrong-url");
    assert!(message.starts_with(TO), "{message}");
}

#[tokio::test]
async fn trap_25_what_the_org_does_not_have_stops_the_object_and_costs_no_attempt() {
    for api in ["Rest", "Collections", "Composite", "Graph"] {
        for (mapping, words) in [
            (ObjectMapping { object: "Contakt".to_owned(), ..carried() }, "NOT_FOUND"),
            (ObjectMapping { external_id: "Title".to_owned(), ..carried() }, "Title"),
            (carried().pointer("Lastname__c", "/lastName"), "No such column 'Lastname__c'"),
        ] {
            let to = format!("HTTP:SFDC:{api}:{}", mapping.object);
            let world = World::new(vec![mapping, blocks()]).await;
            let slice = [unit(&to, 1, "C-1", &json!({ "lastName": "Ada" }))];
            let answers = world.publish(&slice).await;
            assert_eq!(answers, [Published::NotTried], "{to} {words}");
            let (code, message) = stopped(&world, &to);
            assert!(message.starts_with(&to), "{message}");
            assert!(format!("{code}: {message}").contains(words), "{code}: {message}");
            let other = [unit("HTTP:SFDC:Rest:Block__c", 2, "B-1", &json!({ "name": "B" }))];
            assert!(is_delivered(&world.publish(&other).await[0]), "{to}");
        }
    }
}

#[tokio::test]
async fn the_orgs_are_asked_whether_they_have_what_the_mappings_say() {
    let world = World::new(vec![
        ObjectMapping { external_id: "Title".to_owned(), ..carried() }.pointer("LastNam", "/x"),
        blocks().pointer("Contact__r.Email", "/x").pointer("Famly__r.ExternalId__c", "/x"),
        ObjectMapping { object: "Contakt".to_owned(), ..carried() },
        ObjectMapping::new("Account", "ExternalId__c", Source::payload()).pointer("Id", "/id"),
    ])
    .await;
    let problems = world.publisher.check().await;
    let mut found: Vec<(String, String, Option<String>)> = problems
        .iter()
        .map(|it| (it.code().to_string(), it.object.clone(), it.field.clone()))
        .collect();
    found.sort();
    let expected = [
        ("salesforce-external-id-invalid", "Block__c", Some("Contact__r.Email")),
        ("salesforce-external-id-invalid", "Contact", Some("Title")),
        ("salesforce-field-read-only", "Account", Some("Id")),
        ("salesforce-field-unknown", "Block__c", Some("Famly__r.ExternalId__c")),
        ("salesforce-field-unknown", "Contact", Some("LastNam")),
        ("salesforce-object-unknown", "Contakt", None),
        ("salesforce-required-unmapped", "Account", Some("Name")),
    ];
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(code, object, field)| (code.to_owned(), object.to_owned(), field.map(str::to_owned)))
        .collect();
    assert_eq!(found, expected, "{problems:#?}");
    let text: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let meant = |words: &str| text.iter().any(|problem| problem.contains(words));
    assert!(meant("did you mean LastName?") && meant("did you mean Family__r?"), "{text:#?}");
    assert!(text.iter().all(|problem| problem.starts_with("org \"default\", ")), "{text:#?}");
}

#[tokio::test]
async fn mappings_that_fit_have_no_problems_and_an_org_that_is_away_has_one() {
    let world = World::new(vec![contacts(), families_with_members()]).await;
    assert_eq!(world.publisher.check().await, []);
    let salesforce = Simulator::start(Options::default()).await.unwrap();
    let client = client(&salesforce);
    salesforce.stop().await;
    let org = OrgOptions::new(client, vec![contacts(), families()]);
    let options = SalesforceSinkOptions::new(vec![org]);
    let publisher = SalesforcePublisher::new(options, Arc::new(Tables::default())).unwrap();
    let problems = publisher.check().await;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].code().as_str(), "salesforce-check-failed");
    assert!(problems[0].problem.contains("salesforce-unreachable"), "{problems:?}");
}
