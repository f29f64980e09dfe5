//! A simulated org and clients of it.

use std::time::Duration;

use dipmo_salesforce::{Auth, Client, ClientOptions, Fields, RecordRef, Secret};
use salesforce_sim::{LoggedCall, Options, SchemaSource, Simulator};
use serde_json::{Value as Json, json};

pub(crate) struct Org {
    pub(crate) simulator: Simulator,
}

impl Org {
    /// An org of the standard objects.
    pub(crate) async fn start() -> Self {
        Self::with("").await
    }

    /// An org with more rules.
    pub(crate) async fn with(schema: &str) -> Self {
        let schema = match schema {
            "" => SchemaSource::Standard,
            text => SchemaSource::Text(text.to_owned()),
        };
        let options = Options { schema, ..Options::default() };
        Self { simulator: Simulator::start(options).await.unwrap() }
    }

    pub(crate) fn options(&self) -> ClientOptions {
        let app = self.simulator.credentials().unwrap();
        let client_secret = Secret::new(app.client_secret);
        let auth = Auth::ClientCredentials { client_id: app.client_id, client_secret };
        ClientOptions::new(self.simulator.url(), auth)
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.options()).unwrap()
    }

    /// A client that does not wait for long. A busy machine still has to log in within that.
    pub(crate) fn impatient(&self) -> Client {
        Client::new(ClientOptions { call_timeout: Duration::from_secs(3), ..self.options() })
            .unwrap()
    }

    /// Lets calls of an API meet a fault, so many times.
    pub(crate) fn fault(&self, api: &str, times: u32, fault: Json) {
        let mut rule = json!({ "when": { "api": api }, "times": times });
        rule["fault"] = fault;
        self.simulator.faults(json!({ "rules": [rule] })).unwrap();
    }

    /// The calls of an API.
    pub(crate) fn calls(&self, api: &str) -> Vec<LoggedCall> {
        self.simulator.calls().into_iter().filter(|call| call.api == api).collect()
    }

    /// How many calls of an API came.
    pub(crate) fn count(&self, api: &str) -> usize {
        self.calls(api).len()
    }

    /// How often a Contact was written.
    pub(crate) fn applied(&self, key: &str) -> usize {
        let ledger = self.simulator.ledger("Contact").unwrap();
        ledger.iter().find(|entry| entry.key == key).map_or(0, |entry| entry.applied)
    }
}

/// A Contact by its external id.
pub(crate) fn contact(key: &str) -> RecordRef<'_> {
    RecordRef { object: "Contact", field: "ExternalId__c", key }
}

pub(crate) fn fields(json: Json) -> Fields {
    let Json::Object(fields) = json else { panic!("{json} is no object") };
    fields
}

/// The fields of a Contact that is complete.
pub(crate) fn ada() -> Fields {
    fields(json!({ "LastName": "Ada", "Version__c": 1 }))
}
