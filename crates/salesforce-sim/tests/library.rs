//! A test as a user of the library writes it: of a publisher that repeats what it got no answer to.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use salesforce_sim::{Error, Options, Simulator, WriteKind};
use serde_json::{Value as Json, json};
use tokio::net::TcpStream;

/// The publisher under test.
struct Publisher {
    address: String,
    token: String,
}

impl Publisher {
    async fn log_in(salesforce: &Simulator) -> Self {
        let address = salesforce.url().strip_prefix("http://").unwrap().to_owned();
        let mut publisher = Publisher { address, token: String::new() };
        let app = salesforce.credentials().unwrap();
        let form = format!(
            "grant_type=client_credentials&client_id={}&client_secret={}",
            app.client_id, app.client_secret
        );
        let request = Request::post("/services/oauth2/token")
            .header("content-type", "application/x-www-form-urlencoded");
        let (_, answer) = publisher.send(request, form).await.unwrap();
        publisher.token = answer["access_token"].as_str().unwrap().to_owned();
        publisher
    }

    /// The status and the body, unless the connection broke.
    async fn upsert(&self, key: &str, version: u32) -> Result<(u16, Json), hyper::Error> {
        let path = format!("/services/data/v62.0/sobjects/Contact/ExternalId__c/{key}");
        let request = Request::builder()
            .method(Method::PATCH)
            .uri(path)
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json");
        self.send(request, json!({ "LastName": "Ada", "Version__c": version }).to_string()).await
    }

    async fn send(
        &self,
        request: hyper::http::request::Builder,
        body: String,
    ) -> Result<(u16, Json), hyper::Error> {
        let stream = TcpStream::connect(&self.address).await.unwrap();
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let request = request.header("host", &self.address).body(Full::new(Bytes::from(body)));
        let answer = sender.send_request(request.unwrap()).await?;
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await?.to_bytes();
        Ok((status, serde_json::from_slice(&body).unwrap_or_default()))
    }
}

#[tokio::test]
async fn a_publisher_that_got_no_answer_applies_its_record_twice() {
    let salesforce = Simulator::start(Options::default()).await.unwrap();
    let publisher = Publisher::log_in(&salesforce).await;
    let fault = json!({ "kind": "timeout_after", "hold": "1ms" });
    let rule = json!({ "when": { "api": "sobject" }, "times": 1, "fault": fault });
    salesforce.faults(json!({ "rules": [rule] })).unwrap();

    publisher.upsert("C-1", 7).await.expect_err("the first call has no answer");
    let (status, answer) = publisher.upsert("C-1", 7).await.unwrap();
    assert_eq!((status, &answer["created"]), (200, &json!(false)));

    let ledger = salesforce.ledger("Contact").unwrap();
    assert_eq!(ledger.len(), 1, "{ledger:?}");
    assert_eq!((&ledger[0].key, ledger[0].applied), (&json!("C-1"), 2));
    assert_eq!(ledger[0].kinds, [WriteKind::Created, WriteKind::Updated]);
    assert!(ledger[0].tracked.iter().all(|tracked| tracked["Version__c"] == 7));

    let records = salesforce.records("contact").unwrap();
    assert_eq!((records.len(), records[0].writes, records[0].deleted), (1, 2, false));
    assert_eq!([records[0].id.as_str()], *ledger[0].ids);
    assert_eq!(records[0].fields["LastName"], "Ada");

    let calls = salesforce.calls();
    let upserts: Vec<_> = calls.iter().filter(|call| call.api == "sobject").collect();
    assert_eq!(upserts.iter().map(|call| call.id).collect::<Vec<_>>(), ledger[0].calls);
    assert_eq!((upserts[0].status, upserts[1].status), (0, 200));
    assert_eq!(upserts[0].fault.as_deref(), Some("timeout_after"));
    salesforce.stop().await;
}

#[tokio::test]
async fn a_test_can_begin_anew_and_move_the_time() {
    let salesforce = Simulator::start(Options::default()).await.unwrap();
    let publisher = Publisher::log_in(&salesforce).await;
    salesforce.faults(json!({ "rules": [{ "fault": { "kind": "server_error" } }] })).unwrap();
    assert_eq!(publisher.upsert("C-1", 1).await.unwrap().0, 500);
    salesforce.clear_faults();
    assert_eq!(publisher.upsert("C-1", 1).await.unwrap().0, 201);
    salesforce.reset();
    assert_eq!(salesforce.records("Contact").unwrap(), []);
    assert_eq!(salesforce.calls(), []);
    assert_eq!(publisher.upsert("C-1", 1).await.unwrap().0, 201);
    salesforce.advance(Duration::from_secs(3 * 3600));
    assert_eq!(publisher.upsert("C-1", 1).await.unwrap().0, 401);
}

#[tokio::test]
async fn what_is_asked_for_wrongly_is_said() {
    let salesforce = Simulator::start(Options::default()).await.unwrap();
    let wrong =
        json!({ "rules": [{ "when": { "api": "bulk.pole" }, "fault": { "kind": "row_lock" } }] });
    for (result, words) in [
        (salesforce.faults(wrong), "rule 0: there is no api \"bulk.pole\""),
        (salesforce.faults(json!({ "rules": 1 })), "invalid type"),
        (salesforce.ledger("Nothing").map(drop), "there is no object \"Nothing\""),
        (salesforce.ledger("Organization").map(drop), "no external id of Organization"),
        (salesforce.records("Nothing").map(drop), "there is no object \"Nothing\""),
    ] {
        let Err(Error::Asked { problem }) = result else { panic!("{words}: {result:?}") };
        assert!(problem.contains(words), "{problem}");
    }
    let shown = format!("{:?}", salesforce.credentials());
    assert!(!shown.contains("secret\""), "{shown}");
}
