//! A call that is refused so late that the session after its own has ended, too.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use dipmo_salesforce::{Auth, Client, ClientOptions, Secret};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::org::{ada, contact};

/// An org that lets the call of one record wait, and whose sessions end as told.
#[derive(Clone)]
struct Host {
    url: String,
    logins: Arc<AtomicU32>,
    /// The first session that is taken.
    valid_from: Arc<AtomicU32>,
    has_come: Arc<Semaphore>,
    may_go: Arc<Semaphore>,
}

impl Host {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = Host {
            url: format!("http://{}", listener.local_addr().unwrap()),
            logins: Arc::default(),
            valid_from: Arc::default(),
            has_come: Arc::new(Semaphore::new(0)),
            may_go: Arc::new(Semaphore::new(0)),
        };
        let accepting = host.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let host = accepting.clone();
                tokio::spawn(async move {
                    let mut asked = vec![0; 16 * 1024];
                    let read = stream.read(&mut asked).await.unwrap_or(0);
                    let answer = host.answer(&String::from_utf8_lossy(&asked[..read])).await;
                    let _ = stream.write_all(answer.as_bytes()).await;
                });
            }
        });
        host
    }

    async fn answer(&self, asked: &str) -> String {
        if asked.contains("/oauth2/token") {
            let token = self.logins.fetch_add(1, Ordering::SeqCst) + 1;
            let granted = json!({ "access_token": token.to_string(), "instance_url": self.url });
            return answer("200 OK", &granted);
        }
        let token = asked.split_once("Bearer ").unwrap().1.split_once('\r').unwrap().0;
        let token: u32 = token.parse().unwrap();
        if asked.contains("/slow ") && token == 1 {
            self.has_come.add_permits(1);
            self.may_go.acquire().await.unwrap().forget();
        }
        if token < self.valid_from.load(Ordering::SeqCst) {
            let ended =
                json!([{ "errorCode": "INVALID_SESSION_ID", "message": "Session expired" }]);
            return answer("401 Unauthorized", &ended);
        }
        answer("201 Created", &json!({ "id": "003", "success": true, "created": true }))
    }
}

fn answer(status: &str, body: &serde_json::Value) -> String {
    format!("HTTP/1.1 {status}\r\nconnection: close\r\n\r\n{body}")
}

#[tokio::test]
async fn a_session_that_others_began_and_that_ended_is_no_second_refusal() {
    let host = Host::start().await;
    let auth =
        Auth::ClientCredentials { client_id: "app".to_owned(), client_secret: Secret::new("hush") };
    let client = Client::new(ClientOptions::new(&*host.url, auth)).unwrap();
    let (slow_client, slow_host) = (client.clone(), host.clone());
    let slow = tokio::spawn(async move { slow_client.upsert(&contact("slow"), &ada()).await });
    slow_host.has_come.acquire().await.unwrap().forget();
    // Meanwhile the first session ends, another call begins a second, and that ends as well.
    host.valid_from.store(2, Ordering::SeqCst);
    client.upsert(&contact("fast"), &ada()).await.unwrap();
    host.valid_from.store(3, Ordering::SeqCst);
    host.may_go.add_permits(1);
    slow.await.unwrap().unwrap();
    assert_eq!(host.logins.load(Ordering::SeqCst), 3);
}
