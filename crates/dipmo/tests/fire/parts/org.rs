//! An instance that delivers to Salesforce, in a hurry.

use std::sync::Arc;
use std::time::Duration;

use dipmo_api::Registry;
use dipmo_processing::{DispatchOptions, Engine, EngineOptions, RetryPolicy};
use dipmo_salesforce::{Auth, ClientOptions, Secret};
use dipmo_sink_salesforce::{
    BulkOptions, LevelOptions, OrgOptions, Patience, ResilienceOptions, SalesforcePublisher,
    SalesforceSinkOptions, SendingOptions,
};
use dipmo_store::Store;
use members::{BlocksToCreateProcess, FamilyProcess, MembersCreatedProcess, Tables};
use salesforce_sim::Simulator;

use super::engine::hurried;

/// Where a child finds the org.
pub(crate) const ORG: &str = "DIPMO_FIRE_ORG";

/// Longer than this no call is waited for; what may have been applied is sent again only then.
pub(crate) const CALL: Duration = Duration::from_millis(1_500);

/// How long a breaker stays open: long enough for calls that had passed before to come to their end.
pub(crate) const OPEN: Duration = Duration::from_secs(3);

pub(crate) fn registry() -> Registry {
    Registry::new()
        .process(FamilyProcess::new(Tables::default()))
        .and_then(|registry| registry.process(MembersCreatedProcess))
        .and_then(|registry| registry.process(BlocksToCreateProcess))
        .unwrap()
}

/// What a child is told of an org, and of the API version that it is to speak.
pub(crate) fn address(salesforce: &Simulator, version: &str) -> String {
    let credentials = salesforce.credentials().unwrap();
    [salesforce.url(), version, &credentials.client_id, &credentials.client_secret].join(" ")
}

/// An engine that delivers to the org with this address.
pub(crate) fn engine(store: Arc<dyn Store>, address: &str) -> Engine {
    let publisher = SalesforcePublisher::new(options(address), Arc::clone(&store) as _).unwrap();
    let hurried = hurried();
    let backoff = "exponential(200ms, 2s, 1000)".parse().unwrap();
    let retry = RetryPolicy { backoff, ..RetryPolicy::default() };
    let dispatch = DispatchOptions { units: None, retry, ..hurried.dispatch };
    Engine::new(store, registry())
        .options(EngineOptions { dispatch, ..hurried })
        .publisher("HTTP:SFDC*", Arc::new(publisher))
}

fn options(address: &str) -> SalesforceSinkOptions {
    let mut words = address.split(' ').map(str::to_owned);
    let mut word = || words.next().unwrap();
    let (url, api_version, client_id) = (word(), word(), word());
    let auth = Auth::ClientCredentials { client_id, client_secret: Secret::new(word()) };
    let client = ClientOptions {
        call_timeout: CALL,
        transfer_timeout: CALL * 4,
        api_version,
        ..ClientOptions::new(url, auth)
    };
    let orgs = vec![OrgOptions::new(client, members::mappings(&Tables::default()))];
    SalesforceSinkOptions {
        resilience: resilience(),
        sending: SendingOptions {
            parent: Patience { retries: 1_000, delay: Duration::from_millis(500) },
            slice_time: CALL,
            ..SendingOptions::default()
        },
        bulk: BulkOptions {
            gather: Duration::from_millis(200),
            first_poll: Duration::from_millis(200),
            longest_poll: Duration::from_secs(1),
            ..BulkOptions::default()
        },
        ..SalesforceSinkOptions::new(orgs)
    }
}

/// The defaults, but that an open breaker does not stay so for half of the test, and that one of the org
/// opens as soon as one of an object.
fn resilience() -> ResilienceOptions {
    let soon = |mut level: LevelOptions| {
        level.breaker.open = OPEN;
        level.breaker.minimum_calls = 10;
        level.time_limit = CALL;
        level
    };
    ResilienceOptions {
        org: soon(LevelOptions::org()),
        object: soon(LevelOptions::object()),
        ..ResilienceOptions::default()
    }
}
