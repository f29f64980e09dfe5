//! The mappings fit the tables, and an org as the simulator has it.

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_api::{FactDefinition, FactRow};
use dipmo_domain::{StoreError, Value};
use dipmo_salesforce::{Auth, ClientOptions, Secret};
use dipmo_sink_salesforce::{OrgOptions, SalesforcePublisher, SalesforceSinkOptions};
use dipmo_store::Lookup;
use members::{Tables, mappings};
use salesforce_sim::{Options, Simulator};

/// Nothing is sent, so nothing is looked up.
struct NoTables;

#[async_trait]
impl Lookup for NoTables {
    async fn look_up(&self, _: &FactDefinition, _: &[Value]) -> Result<Vec<FactRow>, StoreError> {
        Ok(Vec::new())
    }
}

#[tokio::test]
async fn every_field_is_there_and_every_record_can_be_found_by_its_external_id() {
    let salesforce = Simulator::start(Options::default()).await.expect("a simulator starts");
    let app = salesforce.credentials().expect("the simulator has an app");
    let client_secret = Secret::new(app.client_secret);
    let auth = Auth::ClientCredentials { client_id: app.client_id, client_secret };
    let client = ClientOptions::new(salesforce.url(), auth);
    let options =
        SalesforceSinkOptions::new(vec![OrgOptions::new(client, mappings(&Tables::default()))]);
    let publisher =
        SalesforcePublisher::new(options, Arc::new(NoTables)).expect("the mappings fit the tables");
    assert_eq!(publisher.check().await, []);
}
