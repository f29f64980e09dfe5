//! An org, tables, a publisher between them, and units to deliver.

mod objects;
mod outbox;
mod tables;
mod units;

use std::sync::Arc;
use std::time::Duration;

use dipmo_outbox::{Delivery, Published, Publisher as _};
use dipmo_salesforce::{Auth, ClientOptions, Secret};
use dipmo_sink_salesforce::{
    ObjectMapping, OrgOptions, SalesforcePublisher, SalesforceSinkOptions,
};
use salesforce_sim::{LedgerEntry, LoggedCall, Options, SchemaSource, Simulator};
use serde_json::Value as Json;

pub(crate) use objects::{
    accounts, blocks, carried, contacts, families, families_with_members, member, members,
    members_of, members_query,
};
pub(crate) use outbox::Outbox;
pub(crate) use tables::Tables;
pub(crate) use units::{is_delivered, refused, retried, unit, units};

/// How long a call may take in tests.
pub(crate) const CALL_TIME: Duration = Duration::from_secs(10);

/// An org, tables, and a publisher between them.
pub(crate) struct World {
    pub(crate) salesforce: Simulator,
    pub(crate) tables: Arc<Tables>,
    pub(crate) publisher: SalesforcePublisher,
}

impl World {
    /// With the standard objects.
    pub(crate) async fn new(mappings: Vec<ObjectMapping>) -> Self {
        Self::with(mappings, |_| {}).await
    }

    /// With options that are changed.
    pub(crate) async fn with(
        mappings: Vec<ObjectMapping>,
        change: impl FnOnce(&mut SalesforceSinkOptions),
    ) -> Self {
        Self::in_org("", mappings, change).await
    }

    /// With a schema of its own.
    pub(crate) async fn in_org(
        schema: &str,
        mappings: Vec<ObjectMapping>,
        change: impl FnOnce(&mut SalesforceSinkOptions),
    ) -> Self {
        let schema = match schema {
            "" => SchemaSource::Standard,
            text => SchemaSource::Text(text.to_owned()),
        };
        let salesforce = Simulator::start(Options { schema, ..Options::default() }).await.unwrap();
        let mut options = options(&salesforce, mappings);
        change(&mut options);
        let tables = Arc::new(Tables::default());
        let publisher = SalesforcePublisher::new(options, Arc::clone(&tables) as _).unwrap();
        Self { salesforce, tables, publisher }
    }

    pub(crate) async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        let answers = self.publisher.publish(deliveries).await;
        assert_eq!(answers.len(), deliveries.len());
        answers
    }

    /// Rules for faults.
    pub(crate) fn faults(&self, rules: Json) {
        let rules = serde_json::Map::from_iter([("rules".to_owned(), rules)]);
        self.salesforce.faults(Json::Object(rules)).unwrap();
    }

    /// What was applied under each key of an object.
    pub(crate) fn ledger(&self, object: &str) -> Vec<LedgerEntry> {
        self.salesforce.ledger(object).unwrap()
    }

    /// What was applied under one key.
    pub(crate) fn entry(&self, object: &str, key: &str) -> LedgerEntry {
        let found = self.ledger(object).into_iter().find(|entry| entry.key == key);
        found.unwrap_or_else(|| panic!("nothing was applied under {key}"))
    }

    /// A record as it is.
    pub(crate) fn record(&self, object: &str, key: &str) -> serde_json::Map<String, Json> {
        let records = self.salesforce.records(object).unwrap();
        let found = records.into_iter().find(|it| it.fields["ExternalId__c"] == key && !it.deleted);
        found.unwrap_or_else(|| panic!("there is no {object} {key}")).fields
    }

    /// The versions that a record of an object had, in their order.
    pub(crate) fn versions(&self, object: &str, key: &str) -> Vec<i64> {
        let tracked = self.entry(object, key).tracked;
        tracked.iter().map(|tracked| tracked["Version__c"].as_f64().unwrap() as i64).collect()
    }

    /// The calls that wrote something, but for logins.
    pub(crate) fn writes(&self) -> Vec<LoggedCall> {
        let calls = self.salesforce.calls();
        calls.into_iter().filter(|call| call.api != "oauth" && call.method != "GET").collect()
    }
}

/// Options for an org in a simulator.
pub(crate) fn options(
    salesforce: &Simulator,
    mappings: Vec<ObjectMapping>,
) -> SalesforceSinkOptions {
    SalesforceSinkOptions::new(vec![OrgOptions::new(client(salesforce), mappings)])
}

/// How to reach a simulator.
pub(crate) fn client(salesforce: &Simulator) -> ClientOptions {
    let app = salesforce.credentials().unwrap();
    let auth = Auth::ClientCredentials {
        client_id: app.client_id,
        client_secret: Secret::new(app.client_secret),
    };
    ClientOptions { call_timeout: CALL_TIME, ..ClientOptions::new(salesforce.url(), auth) }
}
