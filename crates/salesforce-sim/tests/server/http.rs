//! Calls as clients make them, and those that no client should make.

use std::io::{Read as _, Write as _};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::{Ask, DATA, Test};

#[tokio::test]
async fn versions_need_no_session_and_resources_do() {
    let test = Test::start("").await;
    for path in ["/services/data", "/services/data/", "//services/data"] {
        let ask = Ask { method: "GET", path, ..Ask::default() };
        let versions = test.send(&ask).await.unwrap().json();
        let versions = versions.as_array().unwrap();
        assert_eq!(versions.len(), 37);
        assert_eq!(versions[36]["version"], "67.0");
        assert_eq!(versions[0]["url"], "/services/data/v31.0");
    }
    let resources = test.call("GET", "", Json::Null).await.json();
    assert_eq!(resources["sobjects"], "/services/data/v62.0/sobjects");
    let ask = Ask { method: "GET", path: DATA, ..Ask::default() };
    assert_eq!(test.send(&ask).await.unwrap().status, 401);
}

#[tokio::test]
async fn an_old_version_does_not_tell_of_an_update() {
    let test = Test::start("").await;
    let bearer = format!("Bearer {}", test.token);
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    for (version, key, updated) in
        [("v31.0", "A", 204), ("v45.0", "B", 204), ("v46.0", "C", 200), ("v67.0", "D", 200)]
    {
        let path = format!("/services/data/{version}/sobjects/Contact/ExternalId__c/{key}");
        for expected in [201, updated] {
            let body = Bytes::from_static(b"{\"LastName\":\"L\"}");
            let ask = Ask { method: "PATCH", path: &path, headers: &headers, body };
            let reply = test.send(&ask).await.unwrap();
            assert_eq!(reply.status, expected, "{version}");
            assert_eq!(reply.body.is_empty(), expected == 204, "{version}");
        }
    }
}

#[tokio::test]
async fn what_is_used_is_told_with_every_answer() {
    let test = Test::start("limits: { daily_requests: 4 }\n").await;
    let limits = test.call("GET", "/limits/", Json::Null).await;
    assert_eq!(limits.header("sforce-limit-info"), "api-usage=1/4");
    assert_eq!(limits.json()["DailyApiRequests"], json!({ "Max": 4, "Remaining": 3 }));
    let missing = test.call("GET", "/sobjects/Nothing__c", Json::Null).await;
    assert_eq!((missing.status, missing.header("sforce-limit-info")), (404, "api-usage=2/4"));
    for expected in ["api-usage=3/4", "api-usage=4/4", "api-usage=4/4"] {
        let reply = test.call("GET", "/limits", Json::Null).await;
        assert_eq!(reply.header("sforce-limit-info"), expected);
    }
    let spent = test.call("GET", "/limits", Json::Null).await.refusal();
    let message = "TotalRequests Limit exceeded.".to_owned();
    assert_eq!(spent, (403, "REQUEST_LIMIT_EXCEEDED".to_owned(), message));
    test.sim("POST", "/clock", json!({ "advance": "24h" })).await;
    let reply =
        test.login("grant_type=client_credentials&client_id=app&client_secret=s3cret").await;
    assert_eq!(reply.status, 200, "logging in costs nothing of it");
}

#[tokio::test]
async fn what_salesforce_does_not_take_is_refused_in_its_words() {
    let test = Test::start("").await;
    let bearer = format!("Bearer {}", test.token);
    let auth = ("authorization", bearer.as_str());
    let json = ("content-type", "application/json");
    let contact = "/services/data/v62.0/sobjects/Contact";
    let not_found = (404, "NOT_FOUND", "The requested resource does not exist");
    let invalid_session = (401, "INVALID_SESSION_ID", "Session expired or invalid");
    let deep = format!("{{\"a\":{}", "[".repeat(10_000));
    for (method, path, headers, body, (status, code, message)) in [
        ("GET", "/services/data/v30.0/limits", &[auth][..], "", not_found),
        ("GET", "/services/data/v99.0/limits", &[auth], "", not_found),
        ("GET", "/services/data/latest/limits", &[auth], "", not_found),
        ("GET", "/services/data/v62.0/sobjects/%ff", &[auth], "", not_found),
        ("GET", "/services/data/v62.0/tooling/query", &[auth], "", not_found),
        ("GET", "/services/oauth2/nothing", &[auth], "", not_found),
        (
            "GET",
            "/services/Soap/u/62.0",
            &[auth],
            "",
            (
                404,
                "URL_NOT_RESET",
                "Destination URL not reset. The URL returned from login must be set",
            ),
        ),
        ("GET", contact, &[], "", invalid_session),
        ("GET", contact, &[("authorization", "Bearer 00D!x")], "", invalid_session),
        (
            "GET",
            contact,
            &[("authorization", "Basic eDp5")],
            "",
            (401, "INVALID_AUTH_HEADER", "INVALID_HEADER_TYPE"),
        ),
        (
            "BREW",
            contact,
            &[auth],
            "",
            (
                405,
                "METHOD_NOT_ALLOWED",
                "HTTP Method 'BREW' not allowed. Allowed are HEAD,GET,POST,PUT,PATCH,DELETE",
            ),
        ),
        (
            "POST",
            "/services/data/v62.0/limits",
            &[auth, json],
            "{}",
            (405, "METHOD_NOT_ALLOWED", "HTTP Method 'POST' not allowed. Allowed are HEAD,GET"),
        ),
        (
            "POST",
            contact,
            &[auth, ("content-type", "text/plain")],
            "{}",
            (
                415,
                "UNSUPPORTED_MEDIA_TYPE",
                "The Content-Type header specified in HTTP request is not supported: text/plain",
            ),
        ),
        (
            "POST",
            contact,
            &[auth, json, ("content-encoding", "br")],
            "{}",
            (
                415,
                "UNSUPPORTED_MEDIA_TYPE",
                "The Content-Encoding header specified in HTTP request is not supported: br",
            ),
        ),
        (
            "POST",
            contact,
            &[auth, json, ("content-encoding", "gzip")],
            "{}",
            (400, "BAD_REQUEST", "The body is not in gzip format"),
        ),
        (
            "POST",
            contact,
            &[auth, json],
            "{\"LastName\":",
            (
                400,
                "JSON_PARSER_ERROR",
                "Unexpected end-of-input: expected close marker at [line:1, column:12]",
            ),
        ),
        (
            "POST",
            contact,
            &[auth, json],
            "{LastName:1}",
            (
                400,
                "JSON_PARSER_ERROR",
                "Unexpected character ('L' (code 76)): was expecting double-quote to start field name at [line:1, column:2]",
            ),
        ),
        (
            "POST",
            contact,
            &[auth, json],
            &deep,
            (400, "JSON_PARSER_ERROR", "The JSON is nested too deeply at [line:1, column:132]"),
        ),
    ] {
        let body = Bytes::copy_from_slice(body.as_bytes());
        let reply = test.send(&Ask { method, path, headers, body }).await.unwrap();
        let expected = (status, code.to_owned(), message.to_owned());
        assert_eq!(reply.refusal(), expected, "{method} {path}");
    }
    let ask = Ask { method: "GET", path: "/setup/home", ..Ask::default() };
    let page = test.send(&ask).await.unwrap();
    assert_eq!((page.status, page.header("content-type")), (404, "text/html;charset=UTF-8"));
}

#[tokio::test]
async fn bodies_are_packed_both_ways() {
    let test = Test::start("").await;
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(b"{\"LastName\":\"Packed\"}").unwrap();
    let body = Bytes::from(packer.finish().unwrap());
    let bearer = format!("OAuth {}", test.token);
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json; charset=utf-8"),
        ("content-encoding", "gzip"),
    ];
    let path = &format!("{DATA}/sobjects/Contact");
    let created = test.send(&Ask { method: "POST", path, headers: &headers, body }).await.unwrap();
    assert_eq!(created.status, 201, "{}", created.text());

    let headers = [("authorization", bearer.as_str()), ("accept-encoding", "gzip, deflate")];
    let path = &format!("{DATA}/sobjects/Contact/describe");
    let ask = Ask { method: "GET", path, headers: &headers, ..Ask::default() };
    let packed = test.send(&ask).await.unwrap();
    assert_eq!(packed.header("content-encoding"), "gzip");
    let mut text = String::new();
    GzDecoder::new(&*packed.body).read_to_string(&mut text).unwrap();
    let described: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(described["name"], "Contact");

    let path = &format!("{DATA}/limits");
    let ask = Ask { method: "GET", path, headers: &headers, ..Ask::default() };
    let small = test.send(&ask).await.unwrap();
    assert_eq!(small.header("content-encoding"), "", "packing would not make it smaller");
}

#[tokio::test]
async fn another_method_can_be_asked_for_in_the_query() {
    let test = Test::start("").await;
    let path = "/sobjects/Contact/ExternalId__c/E-1?_HttpMethod=PATCH";
    let reply = test.call("POST", path, json!({ "LastName": "L" })).await;
    assert_eq!((reply.status, &reply.json()["created"]), (201, &json!(true)));
}

/// Sends bytes as they are, and gives what comes back until the server closes or is silent.
async fn raw(test: &Test, parts: &[&[u8]]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", test.simulator.port())).await.unwrap();
    for part in parts {
        if stream.write_all(part).await.is_err() {
            break;
        }
    }
    let _ = stream.shutdown().await;
    let mut said = Vec::new();
    let _ = stream.read_to_end(&mut said).await;
    String::from_utf8_lossy(&said).into_owned()
}

#[tokio::test]
async fn chunks_and_expectations_are_understood() {
    let test = Test::start("").await;
    let head = format!(
        "PATCH {DATA}/sobjects/Contact/ExternalId__c/E-1 HTTP/1.1\r\nHost: x\r\n\
         Authorization: Bearer {}\r\nContent-Type: application/json\r\n",
        test.token
    );
    let chunked = format!("{head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
    let said =
        raw(&test, &[chunked.as_bytes(), b"9\r\n{\"LastNam\r\n", b"7\r\ne\":\"L\"}\r\n0\r\n\r\n"])
            .await;
    assert!(said.starts_with("HTTP/1.1 201 Created\r\n"), "{said}");

    let mut stream = TcpStream::connect(("127.0.0.1", test.simulator.port())).await.unwrap();
    let expecting = format!("{head}Content-Length: 16\r\nExpect: 100-continue\r\n\r\n");
    stream.write_all(expecting.as_bytes()).await.unwrap();
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).await.unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"{\"LastName\":\"L\"}").await.unwrap();
    let mut status = [0; 15];
    stream.read_exact(&mut status).await.unwrap();
    assert_eq!(&status, b"HTTP/1.1 200 OK");
}

#[tokio::test]
async fn a_client_that_does_not_send_what_it_said_gets_its_answer_all_the_same() {
    let test = Test::start("").await;
    let mut stream = TcpStream::connect(("127.0.0.1", test.simulator.port())).await.unwrap();
    let head = format!("PATCH {DATA}/jobs/ingest/750 HTTP/1.1\r\nHost: x\r\n");
    let request = format!("{head}Content-Length: 100\r\n\r\n{{");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // It ends although the client keeps its side open.
    stream.read_to_end(&mut answer).await.unwrap();
    let answer = String::from_utf8(answer).unwrap().to_ascii_lowercase();
    assert!(answer.starts_with("http/1.1 401"), "{answer}");
    assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
}

#[tokio::test]
async fn nonsense_ends_its_connection_and_nothing_else() {
    let test = Test::start("").await;
    let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(1_000_000));
    for bytes in [
        &b"\x00\x01\x02\xff\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /services/oauth2/token HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"POST /services/oauth2/token HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc",
        b"POST /services/oauth2/token HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        b"GET /services/data/v62.0/query?q=%f HTTP/1.1\r\nHost: \xff\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        long.as_bytes(),
    ] {
        raw(&test, &[bytes]).await;
    }
    assert_eq!(test.call("GET", "/limits", Json::Null).await.status, 200);
    let counters = test.sim("GET", "/counters", Json::Null).await.json();
    assert_eq!(counters["panics"], 0);
}

#[tokio::test]
async fn a_call_takes_the_time_that_the_schema_says() {
    let test = Test::start("latency: { limits: { fixed: 30ms } }\n").await;
    test.call("GET", "/limits", Json::Null).await;
    let calls = test.sim("GET", "/calls?api=limits", Json::Null).await.json();
    assert!(calls["calls"][0]["millis"].as_u64().unwrap() >= 30, "{calls}");
}

#[tokio::test]
async fn too_many_long_calls_are_refused() {
    let slow = "latency: { describe: { fixed: 60s } }\n";
    let describe = |fault| json!([{ "when": { "api": "describe" }, "fault": fault }]);
    for (more, faults) in [
        (slow, json!([])),
        ("", describe(json!({ "kind": "delay", "delay": "60s" }))),
        ("", describe(json!({ "kind": "timeout_before", "hold": "60s" }))),
        ("", describe(json!({ "kind": "timeout_after", "hold": "60s" }))),
    ] {
        let limits = "limits: { concurrent_long: 1, long_after: 1ms }\n";
        let test = Test::start(&format!("{limits}{more}")).await;
        test.faults(faults).await;
        long_call_refuses_others(&test).await;
    }
}

async fn long_call_refuses_others(test: &Test) {
    assert_eq!(test.call("GET", "/limits", Json::Null).await.status, 200);
    let long = test.try_call("GET", "/sobjects", Json::Null);
    let others = async {
        // Until the long call has become one.
        loop {
            let reply = test.call("GET", "/limits", Json::Null).await;
            if reply.status != 200 {
                return reply.refusal();
            }
        }
    };
    let refusal = tokio::select! { _ = long => panic!("it takes a minute"), said = others => said };
    let message = "ConcurrentPerOrgLongTxn Limit exceeded.".to_owned();
    assert_eq!(refusal, (403, "REQUEST_LIMIT_EXCEEDED".to_owned(), message));
}
