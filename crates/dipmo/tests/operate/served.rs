//! The same commands over the network: by whose leave, and what is said when there is none.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::program::said;
use crate::server::{Server, key};
use crate::shop::Shop;

#[tokio::test(flavor = "multi_thread")]
async fn a_server_answers_as_the_database_does() {
    let shop = Shop::open("operate-served").await;
    let server = Server::start(&shop);
    let token = server.token("operator");
    let list = ["inbox", "list", "--output", "json"];
    let there: Value = serde_json::from_slice(&server.types(&token, &list).stdout).unwrap();
    assert_eq!(there, shop.json(&["inbox", "list"]));
    let by_variable = server.by_variable(&token, &list);
    let there: Value = serde_json::from_slice(&by_variable.stdout).unwrap();
    assert_eq!(there, shop.json(&["inbox", "list"]), "the environment has a token as well");
    let instances = server.says(0, &token, &["instance", "list"]);
    assert!(instances.contains("process") && instances.contains("ready"), "{instances}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_certificate_that_is_trusted_is_shown_the_token() {
    let shop = Shop::open("operate-trusted").await;
    let server = Server::start_encrypted(&shop);
    let token = server.token("viewer");
    let list = ["failures", "list", "--token-file", &token];
    let trusting =
        server.command(&list).env("SSL_CERT_FILE", key("tls.cert.pem")).output().unwrap();
    assert_eq!(trusting.status.code(), Some(0), "{}", said(&trusting));
    let doubting = server.command(&list).output().unwrap();
    assert_eq!(doubting.status.code(), Some(2), "{}", said(&doubting));
    assert!(said(&doubting).contains("hint: SSL_CERT_FILE names"), "{}", said(&doubting));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_of_a_server_is_done_there_and_followed() {
    let shop = Shop::open("operate-there").await;
    let server = Server::start(&shop);
    let token = server.token("operator");
    let arguments = ["inbox", "skip", "--code", "ORDER_UNKNOWN", "--reason", "INC-17", "--yes"];
    let told = server.says(0, &token, &arguments);
    assert!(told.contains("operation 1 has ended: 2 of 2 met\n"), "{told}");
    let operation = shop.json(&["operation", "show", "1"]);
    assert_eq!((&operation["actor"], &operation["state"]), (&json!("operator"), &json!("ENDED")));
    let paused = server.says(1, &token, &["operation", "pause", "1", "--reason", "INC-17"]);
    assert!(paused.contains("too late"), "{paused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_is_told_why_and_what_to_do() {
    let shop = Shop::open("operate-may-not").await;
    let server = Server::start(&shop);
    let viewer = server.token("viewer");
    server.says(0, &viewer, &["failures", "list"]);
    let arguments = ["inbox", "retry", "3", "--reason", "INC-17", "--yes"];
    let refused = server.says(2, &viewer, &arguments);
    assert!(
        refused.starts_with("error[admin-forbidden]: this needs the role operator"),
        "{refused}"
    );
    assert!(refused.contains("\n  at: http://127.0.0.1:"), "{refused}");
    assert!(refused.contains("\n  see: docs/errors/admin-forbidden.md"), "{refused}");
    let output = server.types(&viewer, &[&arguments[..], &["--output", "json"]].concat());
    let problem: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&problem["code"], &problem["status"]), (&json!("admin-forbidden"), &json!(403)));
    shop.0.write("wrong.token", "not-a-token-of-anybody");
    let refused = server.says(2, "wrong.token", &["inbox", "list"]);
    assert!(refused.starts_with("error[admin-unauthorized]: "), "{refused}");
    assert!(refused.contains("--token-file FILE or DIPMO_TOKEN"), "{refused}");
    assert!(!refused.contains("not-a-token-of-anybody"), "{refused}");
    assert!(server.says(1, &viewer, &["inbox", "show", "99"]).contains("there is no message 99"));
    assert_eq!(shop.status("3"), "FAILED");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_at_an_address_is_told_with_the_address() {
    let shop = Shop::open("operate-nobody").await;
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = format!("http://{free}");
    let told = shop.says(2, &["inbox", "list", "--server", &server]);
    assert!(told.starts_with(&format!("error: nobody answers at {server}: ")), "{told}");
    assert!(
        told.contains("Connection refused") && told.contains("hint: is an instance up"),
        "{told}"
    );
    let unread = shop.types(&["inbox", "list", "--server", &server, "--token-file", "gone.token"]);
    assert_eq!(unread.status.code(), Some(2));
    assert!(said(&unread).contains("the token in gone.token cannot be read"), "{}", said(&unread));
    let idle = shop.says(2, &["inbox", "list", "--token-file", "any.token"]);
    assert!(idle.contains("a token is for a server"), "{idle}");
    let no_url = shop.says(2, &["inbox", "list", "--server", "example"]);
    assert!(no_url.contains("say a URL"), "{no_url}");
}
