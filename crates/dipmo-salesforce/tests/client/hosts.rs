//! URLs at which there is no Salesforce.

use dipmo_salesforce::{Auth, Class, Client, ClientOptions, Secret, codes};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::org::{Org, ada, contact};

/// A host that answers a connection by what it is asked.
async fn answering(answer: impl Fn(&str) -> String + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = vec![0; 16 * 1024];
            let read = stream.read(&mut asked).await.unwrap_or(0);
            let answer = answer(&String::from_utf8_lossy(&asked[..read]));
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    url
}

/// A host that answers everything in the same way.
async fn host(answer: &'static str) -> String {
    answering(move |_| answer.to_owned()).await
}

/// A refusal in the words of the host.
fn refusal(body: &Json) -> String {
    format!(
        "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{body}"
    )
}

fn client(url: &str) -> Client {
    let auth =
        Auth::ClientCredentials { client_id: "app".to_owned(), client_secret: Secret::new("hush") };
    Client::new(ClientOptions::new(url, auth)).unwrap()
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = client(&url).upsert(&contact("C-1"), &ada()).await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Transient, codes::UNREACHABLE.as_str()));
    assert!(!error.is_ambiguous(), "nothing was sent");
    assert!(error.to_string().contains("refused"), "{error}");
}

#[tokio::test]
async fn a_host_that_does_not_exist_is_unreachable() {
    let error = client("https://no-such-host.invalid").login().await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Transient, codes::UNREACHABLE.as_str()));
}

#[tokio::test]
async fn a_host_that_answers_pages_or_redirects_is_a_wrong_url() {
    for answer in [
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html>Welcome!</html>",
        "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n<!DOCTYPE html>",
        "HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html></html>",
        "HTTP/1.1 302 Found\r\nlocation: https://example.com/\r\nconnection: close\r\n\r\n",
        "HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\n\r\n",
    ] {
        let error = client(&host(answer).await).upsert(&contact("C-1"), &ada()).await.unwrap_err();
        assert_eq!(error.class(), Class::Misconfigured, "{answer}");
        assert_eq!(error.code(), codes::WRONG_URL.as_str(), "{answer}");
        assert!(!error.is_ambiguous());
    }
}

#[tokio::test]
async fn a_login_host_that_is_down_is_transient() {
    let answer =
        "HTTP/1.1 503 Service Unavailable\r\nretry-after: 9\r\nconnection: close\r\n\r\n<html>";
    let error = client(&host(answer).await).login().await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Transient, codes::UNAVAILABLE.as_str()));
    assert_eq!(error.retry_after().map(|wait| wait.as_secs()), Some(9));
}

#[tokio::test]
async fn a_date_to_come_back_is_one_of_the_clock_that_wrote_it() {
    let answer = "HTTP/1.1 429 Too Many Requests\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\
                  retry-after: Sun, 06 Nov 1994 08:50:37 GMT\r\nconnection: close\r\n\r\n";
    let error = client(&host(answer).await).login().await.unwrap_err();
    assert_eq!(error.retry_after().map(|wait| wait.as_secs()), Some(60));
}

#[tokio::test]
async fn a_login_answer_of_another_form_is_unreadable() {
    let answer =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{\"a\":1}";
    let error = client(&host(answer).await).login().await.unwrap_err();
    assert_eq!(error.code(), codes::ANSWER_UNREADABLE.as_str());
}

#[tokio::test]
async fn a_secret_or_a_token_that_the_host_repeats_is_struck_out() {
    let login = answering(|asked| {
        let sent = asked.rsplit("client%5Fsecret=").next().unwrap();
        assert_eq!(sent, "hush");
        refusal(&json!({ "error": format!("sent {sent}"), "error_description": format!("really: {sent}") }))
    })
    .await;
    let error = client(&login).login().await.unwrap_err();
    assert_eq!((error.code(), error.message().as_str()), ("sent ***", "really: ***"));
    assert!(!format!("{error:?}").contains("hush"));

    let instance = answering(|asked| {
        let sent = asked.split_once("Bearer ").unwrap().1.split_once('\r').unwrap().0;
        assert_eq!(sent, "00D!hush");
        refusal(&json!([{ "errorCode": "X", "message": format!("sent {sent}"), "fields": [sent] }]))
    })
    .await;
    let granted = json!({ "access_token": "00D!hush", "instance_url": instance });
    let login =
        answering(move |_| format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{granted}")).await;
    let error = client(&login).limits().await.unwrap_err();
    assert_eq!((error.message().as_str(), error.fields()), ("sent ***", &["***".to_owned()][..]));
    assert!(!format!("{error:?}").contains("hush"));
}

#[tokio::test]
async fn an_instance_that_is_no_host_is_a_wrong_url() {
    let answer = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n\
                  {\"access_token\":\"00D!t\",\"instance_url\":\"https://user:hush@acme.my.salesforce.com/x\"}";
    let error = client(&host(answer).await).login().await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Misconfigured, codes::WRONG_URL.as_str()));
    assert!(!error.to_string().contains("hush"), "{error}");
}

#[tokio::test]
async fn a_server_that_stops_is_unreachable() {
    let org = Org::start().await;
    let client = org.client();
    client.login().await.unwrap();
    org.simulator.stop().await;
    let error = client.upsert(&contact("C-1"), &ada()).await.unwrap_err();
    assert_eq!(error.class(), Class::Transient);
}
