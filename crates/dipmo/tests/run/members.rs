//! The example `members`: families from Kafka, through tables, to Salesforce.

use dipmo_kafka::testing::{self, OwnBroker};
use salesforce_sim::{Options, Simulator};
use serde_json::json;

use crate::postgres::Database;
use crate::service::{Producer, Service, file};

const FAMILIES: i64 = 20;

/// A child that comes before its parent is not waited for long.
const OVERLAY: &str = "
destinations:
  salesforce_delivery:
    parent: {retries: 200, delay: 200ms}
    older: {retries: 200, delay: 200ms}
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn families_go_from_kafka_to_salesforce() {
    let broker = tokio::task::block_in_place(OwnBroker::start);
    let kafka = broker.options();
    testing::create(&kafka, "families", 2, &[]).await;
    let (database, salesforce) =
        (Database::create().await, Simulator::start(Options::default()).await.unwrap());
    let app = salesforce.credentials().unwrap();
    let url = database.url();
    let variables = [
        ("DATABASE_URL", url.as_str()),
        ("KAFKA_BROKERS", kafka.bootstrap_servers.as_str()),
        ("SALESFORCE_URL", salesforce.url()),
        ("SALESFORCE_CLIENT_ID", &app.client_id),
        ("SALESFORCE_CLIENT_SECRET", &app.client_secret),
    ];
    let overlay = file("run-members.yaml", OVERLAY);
    let mut service = Service::start("members", &overlay, &variables);
    let producer = Producer::new(&kafka.bootstrap_servers);
    for number in 0..FAMILIES {
        let family = format!("F-{number}");
        let members: Vec<String> = (0..3).map(|member| format!("{family}-{member}")).collect();
        let rows = members.iter().map(|id| json!({"id": id, "firstName": "Ada", "lastName": id}));
        let send = |kind: &str, more: serde_json::Value| {
            let mut event =
                json!({"id": format!("{family}-{kind}"), "familyId": family, "type": kind});
            event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            producer.send("families", &family, &event);
        };
        send("FamilyChanged", json!({"version": 1, "name": family, "status": "Qualified"}));
        let rows: Vec<_> = rows.collect();
        send("MembersChanged", json!({"version": 1, "members": rows}));
        send("MembersCreated", json!({"memberIds": members, "asOfVersion": 1}));
    }
    producer.flush();
    let client = database.client().await;
    let delivered = "select count(*) from members_created_process where state = 'DELIVERED'";
    service.until_at_least(&client, FAMILIES, delivered).await;
    let families = "select count(*) from outbox where status = 'DISPATCHED' \
                    and destination = 'HTTP:SFDC:Collections:Family__c'";
    service.until_at_least(&client, FAMILIES, families).await;
    service.until_ready();
    service.ends_well();
    let count = |object: &str| i64::try_from(salesforce.records(object).unwrap().len()).unwrap();
    assert_eq!((count("Family__c"), count("Contact")), (FAMILIES, 3 * FAMILIES));
    salesforce.stop().await;
}
