//! Only 404 says that Salesforce knows nothing of a job: the simulator refuses no call like the others.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use dipmo_outbox::{JobPhase, JobStep, JobWork as _, Publisher as _};
use dipmo_salesforce::{Auth, ClientOptions, Secret};
use dipmo_sink_salesforce::{OrgOptions, SalesforcePublisher, SalesforceSinkOptions};
use serde_json::json;

use super::MemoryJob;
use super::rig::contact;
use crate::support::{Tables, carried, retried};

/// A publisher for an org that takes every login, and refuses every other call like this.
fn publisher(status: u16, code: &str) -> SalesforcePublisher {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let token = json!({ "access_token": "t", "instance_url": url, "token_type": "Bearer" });
    let refusal = json!([{ "errorCode": code, "message": "no" }]);
    thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let mut asked = vec![0; 16 * 1024];
            let read = stream.read(&mut asked).unwrap_or(0);
            let login = String::from_utf8_lossy(&asked[..read]).contains("/oauth2/token");
            let (status, body) = if login { (200, &token) } else { (status, &refusal) };
            let head = "content-type: application/json\r\nconnection: close";
            let _ = write!(stream, "HTTP/1.1 {status} So\r\n{head}\r\n\r\n{body}");
        }
    });
    let auth =
        Auth::ClientCredentials { client_id: "app".to_owned(), client_secret: Secret::new("hush") };
    let org = OrgOptions::new(ClientOptions::new(url, auth), vec![carried()]);
    let options = SalesforceSinkOptions::new(vec![org]);
    SalesforcePublisher::new(options, Arc::new(Tables::default())).unwrap()
}

/// A job that is at Salesforce, and given or not.
async fn job(given: bool) -> MemoryJob {
    let job = MemoryJob::new([contact("C-1", 1), contact("C-2", 1)]);
    job.made("750000000000001AAA").await.unwrap();
    if given {
        job.given().await.unwrap();
    }
    job
}

#[tokio::test]
async fn a_question_that_took_too_long_says_nothing_about_the_job() {
    for (status, code) in [(500, "TIMEOUT"), (503, "ABORTED"), (400, "TIMEOUT")] {
        let publisher = publisher(status, code);
        for (given, phase) in [(true, JobPhase::Given), (false, JobPhase::Made)] {
            let job = job(given).await;
            let step = publisher.run_job(&job).await.unwrap();
            assert!(matches!(step, JobStep::Wait(_)), "{status} {code}: {step:?}");
            assert_eq!((job.phase(), job.len()), (phase, 2), "{status} {code}");
        }
    }
}

#[tokio::test]
async fn a_job_that_is_gone_is_sent_again() {
    let publisher = publisher(404, "NOT_FOUND");
    let job = job(true).await;
    assert_eq!(publisher.run_job(&job).await.unwrap(), JobStep::Ended);
    for answer in job.answers().iter().flatten() {
        assert_eq!(retried(answer).0, "salesforce-job-vanished");
    }
}
