//! `dipmo archive`, with the instances that do what it asks for.

use std::time::{Duration, Instant};

use dipmo_store_sqlite::rusqlite::Connection;
use serde_json::Value;

use crate::server::Server;
use crate::shop::{PATIENCE, Shop};

/// Changes the database behind everybody's back.
fn by_hand(shop: &Shop, sql: &str) {
    let connection = Connection::open(shop.0.0.join("dipmo.db")).unwrap();
    connection.busy_timeout(Duration::from_secs(30)).unwrap();
    connection.execute_batch(sql).unwrap();
}

/// The list of archives, once its newest one is so.
fn archived(shop: &Shop, is_so: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let list = shop.json(&["archive", "list"]);
        if list["rows"].as_array().unwrap().first().is_some_and(&is_so) {
            return list["rows"][0].clone();
        }
        assert!(began.elapsed() < PATIENCE, "{list}");
    }
}

/// History leaves the database and comes back; who was elected is killed, and another one goes on; all of it is in the
/// audit.
#[tokio::test(flavor = "multi_thread")]
async fn history_goes_and_comes_back() {
    let shop = Shop::open("archive").await;
    let before = shop.json(&["inbox", "show", "1"]);
    by_hand(&shop, "UPDATE inbox_log SET received_at = 1577880000000000 + id");
    let nobody = shop.json(&["archive", "keeper"]);
    assert_eq!(nobody["owner"], Value::Null);

    let first = Server::keeping(&shop);
    let token = first.token("operator");
    first.says(0, &token, &["archive", "run", "--reason", "a test"]);
    let lot = archived(&shop, |lot| lot["state"] == "DROPPED");
    assert_eq!((&lot["month"], &lot["rows"]), (&"2020-01".into(), &2.into()), "messages 1 and 2");
    shop.says(1, &["inbox", "show", "1"]);
    assert_eq!(shop.status("3"), "FAILED", "what is not settled stays");
    let keeper = shop.json(&["archive", "keeper"]);
    assert!(keeper["owner"].is_string() && keeper["trouble"].is_null(), "{keeper}");
    drop(first);

    by_hand(&shop, "UPDATE dipmo_duty SET lease_until = 0");
    let second = Server::keeping(&shop);
    let id = lot["id"].to_string();
    second.says(0, &token, &["archive", "verify", &id, "--reason", "a test"]);
    let checked = archived(&shop, |lot| lot["checked_at"].is_string());
    assert_eq!(checked["problem"], Value::Null);
    second.says(0, &token, &["archive", "restore", &id, "--days", "2", "--reason", "a test"]);
    archived(&shop, |lot| lot["restored_until"].is_string());
    let mut after = shop.json(&["inbox", "show", "1"]);
    after["received_at"] = before["received_at"].clone();
    assert_eq!(after, before);
    shop.says(1, &["archive", "restore", "4711", "--reason", "a test"]);

    let text = shop.says(0, &["archive", "list"]);
    assert!(text.contains("2020-01") && text.contains("DROPPED"), "{text}");
    for action in ["archive.run", "archive.verify", "archive.restore"] {
        let entries = shop.json(&["audit", "list", "--action", action]);
        assert_eq!(entries["rows"].as_array().unwrap().len(), 1, "{action}");
    }
}
