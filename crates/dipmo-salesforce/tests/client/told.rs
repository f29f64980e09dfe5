//! What the org tells about itself.

use dipmo_salesforce::{ApiUsage, Class, Client};

use crate::org::{Org, ada, contact};

#[tokio::test]
async fn the_newest_usage_comes_with_every_answer() {
    let org = Org::with("limits: { daily_requests: 1000 }").await;
    let client = org.client();
    assert_eq!(client.usage(), None);
    client.upsert(&contact("C-1"), &ada()).await.unwrap();
    assert_eq!(client.usage(), Some(ApiUsage { used: 1, max: 1000 }));
    client.clone().upsert(&contact("C-1"), &ada()).await.unwrap();
    assert_eq!(client.usage(), Some(ApiUsage { used: 2, max: 1000 }));
}

#[tokio::test]
async fn limits_are_told_by_name() {
    let org = Org::with("limits: { daily_requests: 1000 }").await;
    let limits = org.client().limits().await.unwrap();
    let requests = limits.get("DailyApiRequests").unwrap();
    assert_eq!((requests.max, requests.remaining), (1000, 999));
    assert!(limits.iter().any(|(name, limit)| name == "DailyBulkApiBatches" && limit.max > 0));
    assert_eq!(limits.get("No"), None);
}

#[tokio::test]
async fn an_object_is_described() {
    let org = Org::start().await;
    let client = org.client();
    let contact = client.describe("contact").await.unwrap();
    assert_eq!(contact.name, "Contact");
    assert!(contact.createable && contact.updateable && contact.deletable);
    let key = contact.field("externalid__C").unwrap();
    assert_eq!((key.name.as_str(), key.kind.as_str(), key.length), ("ExternalId__c", "string", 64));
    assert!(key.external_id && key.unique && !key.required());
    assert!(contact.field("LastName").unwrap().required());
    assert!(!contact.field("Id").unwrap().required(), "Salesforce gives it");
    assert_eq!(contact.relationship("Family__r").unwrap().reference_to, ["Family__c"]);
    assert!(contact.field("No__c").is_none());
    let error = client.describe("No__c").await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Misconfigured, "NOT_FOUND"));
    let error = client.describe("../limits").await.unwrap_err();
    assert_eq!(error.class(), Class::Misconfigured);
}

/// Whoever spawns a call needs this to hold.
#[test]
fn calls_can_be_spawned() {
    fn spawned(future: impl Future + Send) {
        drop(future);
    }
    fn all(client: &Client) {
        spawned(client.login());
        spawned(client.limits());
        spawned(async { client.upsert(&contact("C-1"), &ada()).await });
        spawned(client.upsert_many("Contact", "ExternalId__c", &[], false));
        spawned(async { client.bulk().info("750").await });
        let rows = futures_util::stream::empty::<Result<bytes::Bytes, std::io::Error>>();
        spawned(async { client.bulk().upload("750", rows).await });
    }
    let _: fn(&Client) = all;
}
