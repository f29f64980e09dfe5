//! A reset while something is under way: nothing of before reaches the new org.

use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::{DATA, Test};

#[tokio::test]
async fn a_job_whose_data_comes_across_a_reset_is_not_made() {
    let test = Test::start("").await;
    let job = json!({ "object": "Contact", "operation": "insert", "lineEnding": "LF" });
    let (first, second) = (
        format!(
            "--B\r\nContent-Disposition: form-data; name=\"job\"\r\n\
             Content-Type: application/json\r\n\r\n{job}\r\n"
        ),
        "--B\r\nContent-Disposition: form-data; name=\"content\"; filename=\"content\"\r\n\
         Content-Type: text/csv\r\n\r\nLastName,ExternalId__c\nLate,A\n\r\n--B--\r\n",
    );
    let head = format!(
        "POST {DATA}/jobs/ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
         Content-Type: multipart/form-data; boundary=B\r\nContent-Length: {}\r\n\
         Expect: 100-continue\r\nConnection: close\r\n\r\n",
        test.token,
        first.len() + second.len()
    );
    let mut stream = TcpStream::connect(("127.0.0.1", test.simulator.port())).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    // It is said when the body is wanted: the call was let in by then.
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).await.unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(first.as_bytes()).await.unwrap();
    assert_eq!(test.sim("POST", "/reset", Json::Null).await.status, 204);
    stream.write_all(second.as_bytes()).await.unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).await.unwrap();
    assert!(said.starts_with("HTTP/1.1 503 "), "{said}");
    assert_eq!(test.sim("GET", "/jobs", Json::Null).await.json()["jobs"], json!([]));
    assert_eq!(test.applied("A").await.0, 0);
}

#[tokio::test]
async fn a_job_of_before_a_reset_spends_and_writes_nothing_after_it() {
    let test = Test::start("latency: { bulk.queue: { fixed: 1s } }\n").await;
    let make = async |key: &str| {
        let job = json!({ "object": "Contact", "operation": "insert" });
        let job = test.call("POST", "/jobs/ingest", job).await.json()["id"].clone();
        let path = format!("/jobs/ingest/{}", job.as_str().unwrap());
        let csv = format!("LastName,ExternalId__c\nDoe,{key}\n");
        assert_eq!(test.put_csv(&format!("{path}/batches"), &csv).await.status, 201);
        let closed = test.call("PATCH", &path, json!({ "state": "UploadComplete" })).await;
        assert_eq!(closed.status, 200, "{}", closed.text());
        job.as_str().unwrap().to_owned()
    };
    let early = make("early").await;
    assert_eq!(test.sim("POST", "/reset", Json::Null).await.status, 204);
    test.faults(json!([{ "times": 1, "fault": { "kind": "job_aborted", "after_rows": 9 } }])).await;
    let late = make("late").await;
    assert_ne!(early, late, "an id is used once");
    // The early job would have had its turn before the late one.
    let end = test.sim("GET", &format!("/jobs/{late}/end"), Json::Null).await.json();
    assert_eq!((&end["state"], &end["numberRecordsProcessed"]), (&json!("Aborted"), &json!(1)));
    let counters = test.sim("GET", "/counters", Json::Null).await.json();
    assert_eq!((&counters["batches"], &counters["writes"]), (&json!(1), &json!(1)));
    assert_eq!((test.applied("early").await.0, test.applied("late").await.0), (0, 1));
}
