//! What nobody may read in a print, an error or a log line.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use dipmo_salesforce::{
    Auth, BulkResults, BulkSpec, Client, ClientOptions, Composite, CsvWriter, Error, Graph, Secret,
    SubRequest,
};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span;
use tracing::{Event, Metadata, Subscriber};

use crate::org::{Org, contact, fields};

/// The secret of the app, and what stands for payloads and keys.
const SECRETS: [&str; 4] = ["s3cret-of-the-app", "payload-of-a-record", "key-of-a-record", "00D"];

/// Keeps all that is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Log {
    fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.lock().unwrap().push_str(&format!("{field}={value:?} "));
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("dipmo_salesforce")
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        attributes.record(&mut self.clone());
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

fn shown(error: &Error) -> String {
    format!("{error} {error:?} {error:#?}")
}

async fn org() -> (Org, ClientOptions) {
    let org = Org::with(
        "org:\n  users:\n    - { username: integration@example.com }\n  apps:\n    - client_id: app\n      \
         client_secret: s3cret-of-the-app\n      user: integration@example.com\n",
    )
    .await;
    let options = org.options();
    (org, options)
}

/// Everything that can be printed while records are written in every way, and while all goes wrong.
async fn printed(org: &Org, options: ClientOptions) -> String {
    let mut out = format!("{options:?} {options:#?} {:?} {}", options.auth, secret(&options));
    let client = Client::new(options).unwrap();
    let at = contact("key-of-a-record");
    let body = fields(json!({ "LastName": "payload-of-a-record" }));
    let mut keyed = body.clone();
    keyed.insert("ExternalId__c".to_owned(), json!("key-of-a-record"));
    let requests = vec![SubRequest::upsert("62.0", "one", &at, body.clone()).unwrap()];
    let composite = Composite { all_or_none: true, collate: false, requests: requests.clone() };
    let graphs = [Graph { id: "g".to_owned(), requests }];
    let records = [keyed];
    out += &format!("{client:?} {client:#?} {at:?} {composite:?} {graphs:#?}");
    for fault in [
        json!({ "kind": "delay", "delay": "1ms" }),
        json!({ "kind": "unavailable" }),
        json!({ "kind": "drop", "after_bytes": 5 }),
        json!({ "kind": "truncate", "bytes": 60 }),
        json!({ "kind": "session_expired" }),
    ] {
        // A test beside this one may have met a line of the log first, when nobody listened.
        tracing::callsite::rebuild_interest_cache();
        org.fault("rest", 1_000, fault);
        let one = client.upsert(&at, &body).await;
        out += &one.map_or_else(|error| shown(&error), |upserted| upserted.created.to_string());
        let gone = client.delete(&at).await;
        out += &gone.map_or_else(|error| shown(&error), |()| String::new());
        let many = client.upsert_many("Contact", "ExternalId__c", &records, true).await;
        out += &many.map_or_else(|error| shown(&error), |many| many.len().to_string());
        let composite = client.composite(&composite).await;
        out += &composite.map_or_else(|error| shown(&error), |answers| format!("{answers:?}"));
        let graph = client.graph(&graphs).await;
        out += &graph.map_or_else(|error| shown(&error), |answers| format!("{answers:#?}"));
    }
    org.simulator.clear_faults();
    out + &job(&client).await
}

fn secret(options: &ClientOptions) -> Secret {
    let Auth::ClientCredentials { client_secret, .. } = &options.auth else { panic!() };
    client_secret.clone()
}

/// What a job prints.
async fn job(client: &Client) -> String {
    let bulk = client.bulk();
    let job = bulk.create(&BulkSpec::upsert("Contact", "ExternalId__c")).await.unwrap();
    let mut csv = CsvWriter::new(&["ExternalId__c", "LastName"]);
    let data = Bytes::from_static(b"key-of-a-record,payload-of-a-record\n");
    csv.row(&["key-of-a-record".into(), "payload-of-a-record".into()]).unwrap();
    let mut out = format!("{bulk:?} {job:?} {csv:?}");
    let header = csv.take();
    out += &shown(&bulk.upload_bytes("750000000000000AAA", data).await.unwrap_err());
    bulk.upload_bytes(&job.id, header).await.unwrap();
    bulk.close(&job.id).await.unwrap();
    while !bulk.info(&job.id).await.unwrap().state.is_over() {}
    let mut rows = bulk.results(&job.id, BulkResults::Successful).await.unwrap();
    out += &format!("{rows:?}");
    let row = rows.next().await.unwrap().unwrap();
    assert_eq!(row.get("LastName"), Some("payload-of-a-record"));
    out + &format!("{row:?} {row:#?}")
}

#[tokio::test]
async fn no_secret_no_token_and_no_payload_is_printed_or_logged() {
    let (org, options) = org().await;
    let log = Log::default();
    let guard = tracing::subscriber::set_default(log.clone());
    let printed = printed(&org, options).await;
    drop(guard);
    let logged = log.text();
    assert!(printed.contains("INVALID_SESSION_ID") && printed.contains("client_id: \"app\""));
    assert!(
        logged.contains("PATCH /services/data/v62.0/sobjects/Contact/ExternalId__c/*"),
        "{logged}"
    );
    for (what, text) in [("printed", printed), ("logged", logged)] {
        for secret in SECRETS {
            assert!(!text.contains(secret), "{secret} is {what}: {text}");
        }
    }
}
