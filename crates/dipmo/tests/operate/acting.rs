//! What changes something: previews, refusals, operations and what became of each.

use serde_json::{Value, json};

use crate::postgres::Database;
use crate::program::Folder;
use crate::shop::Shop;

/// An order that was paid before.
const PLACED: &str = r#"
{"topic": "orders", "key": "O-3", "value": {"id": "E-7", "type": "OrderPlaced", "orderId": "O-3"}}
"#;

fn operations(shop: &Shop) -> usize {
    shop.json(&["operation", "list"])["rows"].as_array().unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_shows_and_changes_nothing() {
    let shop = Shop::open("operate-dry").await;
    let before = shop.json(&["inbox", "list"]);
    let told = shop.says(0, &["inbox", "retry", "--code", "ORDER_UNKNOWN", "--dry-run"]);
    assert!(told.starts_with("2 to retry\n          2  FAILED\nids: 3, 5"), "{told}");
    let told = shop.json(&["inbox", "skip", "--topic", "orders", "--dry-run"]);
    assert_eq!(told["preview"]["by_status"], json!({"FAILED": 2, "SERDE_ERROR": 1}));
    let told = shop.says(0, &["inbox", "retry", "--type", "OrderPlaced", "--dry-run"]);
    assert!(told.starts_with("nothing to retry: "), "{told}");
    assert_eq!(shop.json(&["inbox", "list"]), before);
    assert_eq!(operations(&shop), 0);
    assert!(shop.json(&["audit", "list"])["rows"].as_array().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_taken_for_a_yes() {
    let shop = Shop::open("operate-yes").await;
    let refused = shop.says(2, &["inbox", "retry", "3", "--reason", "INC-17"]);
    assert!(refused.contains("nobody is here who could be asked"), "{refused}");
    assert!(refused.contains("--yes does it without asking"), "{refused}");
    assert_eq!((shop.status("3").as_str(), operations(&shop)), ("FAILED", 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_meant_must_be_said_once_and_why() {
    let shop = Shop::open("operate-meant").await;
    for (arguments, expected) in [
        (
            &["inbox", "retry", "--reason", "x", "--yes"][..],
            "nothing says which messages are meant",
        ),
        (&["outbox", "skip", "--reason", "x", "--yes"], "nothing says which units are meant"),
        (&["inbox", "retry", "3", "--code", "X", "--reason", "x", "--yes"], "say one of both"),
        (&["inbox", "retry", "3", "--yes"], "--reason <WHY>"),
        (&["inbox", "retry", "3", "--reason", " ", "--yes"], "admin-reason-missing"),
        (&["inbox", "retry", "--since", "yesterday", "--reason", "x"], "how long ago: 30s"),
        (&["inbox", "retry", "3", "--rate", "0", "--reason", "x"], "--rate"),
    ] {
        let refused = shop.says(2, arguments);
        assert!(refused.contains(expected), "{arguments:?}: {refused}");
    }
    assert_eq!(operations(&shop), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_failed_alike_is_retried_together() {
    let shop = Shop::open("operate-retry").await;
    retries(&shop).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_holds_on_postgres() {
    let database = Database::create().await;
    let folder = Folder::new("operate-postgres");
    folder.write("url", &database.url());
    let store = format!("postgres: \"${{file:{}}}\"", folder.0.join("url").display());
    let shop = Shop::on(folder, &store).await;
    retries(&shop).await;
    let client = database.client().await;
    let rows = client.query_one("select count(*) from dipmo_audit", &[]).await.unwrap();
    assert_eq!(rows.get::<_, i64>(0), 1);
    resends(&shop).await;
}

async fn retries(shop: &Shop) {
    let group = shop.unknown_orders();
    let arguments = ["inbox", "retry", "--failure", &group, "--reason", "INC-17", "--yes"];
    let told = shop.says(0, &arguments);
    assert!(told.contains("has ended: 2 of 2 met\n          2  DONE           done\n"), "{told}");
    assert!(told.contains("operation 1 began: 2 to retry\n"), "{told}");
    assert_eq!([shop.status("3"), shop.status("5")], ["RETRY", "RETRY"]);
    assert_eq!(shop.json(&["failures", "show", &group])["failure"]["failed"], 0);
    let entry = &shop.json(&["audit", "list", "--target", "operation/1"])["rows"][0];
    assert_eq!((&entry["reason"], &entry["role"]), (&json!("INC-17"), &json!("admin")));
    assert!(entry["actor"].as_str().unwrap().starts_with("cli:"), "{entry}");
    shop.receive("").await;
    assert_eq!([shop.status("3"), shop.status("5")], ["FAILED", "FAILED"], "as before");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_given_up_is_sent_a_second_time() {
    let shop = Shop::open("operate-resend").await;
    resends(&shop).await;
}

/// A unit was refused; what is sent again of it is refused as well, as a unit of its own.
async fn resends(shop: &Shop) {
    let refused = shop.json(&["outbox", "list"])["rows"][0]["id"].clone();
    let id = refused.to_string();
    let resend = ["outbox", "resend", &id, "--reason", "INC-17", "--yes"];
    let told = shop.says(1, &resend);
    assert!(told.contains("1  WRONG_STATUS "), "it is to be retried: {told}");
    shop.says(0, &["outbox", "skip", &id, "--reason", "INC-17", "--yes"]);
    let filter = ["outbox", "resend", "--destination", "KAFKA:order-events"];
    let told = shop.says(0, &[&filter[..], &["--dry-run"]].concat());
    assert!(told.starts_with("1 to resend\n  each is a second delivery under a new id"), "{told}");
    assert_eq!(shop.json(&["outbox", "list"])["rows"].as_array().unwrap().len(), 1);
    let told = shop.says(0, &[&filter[..], &["--reason", "INC-17", "--yes"]].concat());
    assert!(told.contains("has ended: 1 of 1 met\n          1  DONE           done\n"), "{told}");
    let listed = shop.json(&["outbox", "list"]);
    let units = listed["rows"].as_array().unwrap();
    assert_eq!((units.len(), &units[0]["status"]), (2, &json!("PENDING")));
    assert_eq!((&units[0]["resend_of"], &units[1]["resend_of"]), (&refused, &Value::Null));
    let second = units[0]["id"].to_string();
    let shown = shop.says(0, &["outbox", "show", &second]);
    assert!(shown.contains("\nresend of"), "{shown}");
    shop.receive("").await;
    assert_eq!(
        shop.json(&["outbox", "show", &second])["status"],
        "FAILED",
        "it was sent, and refused"
    );
    let first = shop.json(&["outbox", "show", &id]);
    assert_eq!((&first["status"], &first["skipped"]), (&json!("FAILED"), &json!(true)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_overtaken_is_done_by_force() {
    let shop = Shop::open("operate-force").await;
    shop.says(0, &["inbox", "release", "5", "--reason", "INC-17", "--yes"]);
    shop.receive(PLACED).await;
    let retry = ["inbox", "retry", "5", "--reason", "INC-17", "--yes"];
    let told = shop.says(1, &retry);
    assert!(told.contains("1  OVERTAKEN      overtaken: a later one of its key went on"), "{told}");
    assert_eq!(shop.status("5"), "FAILED");
    shop.says(0, &[&retry[..], &["--force"]].concat());
    shop.receive("").await;
    assert_eq!(shop.status("5"), "PROCESSED", "its order is placed by now");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_done_is_said_and_is_a_one() {
    let shop = Shop::open("operate-partly").await;
    let arguments = ["inbox", "skip", "3", "4", "1", "99", "--reason", "INC-17", "--yes"];
    let told = shop.says(1, &arguments);
    for line in [
        "          1  ALREADY_ENDED  had ended otherwise\n",
        "          1  DONE           done\n",
        "          1  HELD           held: goes on when the head of its key ends\n",
        "next: dipmo operation show 1 --result RESULT",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert_eq!((shop.status("3").as_str(), shop.status("1").as_str()), ("PROCESSED", "PROCESSED"));
    let shown = shop.says(0, &["operation", "show", "1"]);
    assert!(
        shown.contains("why           INC-17\n") && shown.contains("state         ENDED\n"),
        "{shown}"
    );
    let items = shop.json(&["operation", "show", "1", "--result", "DONE"]);
    assert_eq!(items["rows"][0]["id"], 3);
    assert_eq!(items["rows"].as_array().unwrap().len(), 1);
    let all: Vec<Value> =
        shop.json(&["operation", "show", "1", "--items"])["rows"].as_array().unwrap().clone();
    assert_eq!(
        all.iter().map(|item| item["id"].as_i64().unwrap()).collect::<Vec<_>>(),
        [1, 3, 4, 99]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_is_released_and_what_cannot_be_decoded_is_tried_again() {
    let shop = Shop::open("operate-release").await;
    shop.says(0, &["inbox", "release", "3", "--reason", "INC-17", "--yes"]);
    assert_eq!(shop.json(&["inbox", "list", "--waits", "held"])["rows"], json!([]));
    assert_eq!(shop.status("3"), "FAILED");
    let told = shop.says(1, &["inbox", "reparse", "6", "--reason", "INC-17", "--yes"]);
    assert!(told.contains("1  UNDECODABLE    still undecodable by the rules"), "{told}");
    assert_eq!(shop.status("6"), "SERDE_ERROR");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_rules_can_decode_by_now_is_decoded() {
    let shop = Shop::open("operate-reparse").await;
    let (rule, wrong) =
        ("event_type: {pointer: /type}", "event_type: [{pointer: /kind}, required]");
    let right = shop.0.read("dipmo.yaml");
    shop.0.write("dipmo.yaml", &right.replace(rule, wrong));
    shop.receive(PLACED).await;
    assert_eq!(shop.status("7"), "SERDE_ERROR");
    shop.0.write("dipmo.yaml", &right);
    let told = shop.says(0, &["inbox", "reparse", "7", "--reason", "INC-17", "--yes"]);
    assert!(told.contains("1  DONE           done"), "{told}");
    assert_eq!(shop.json(&["inbox", "show", "7"])["event_type"], "OrderPlaced");
}

#[tokio::test(flavor = "multi_thread")]
async fn units_are_retried_and_given_up() {
    let shop = Shop::open("operate-units").await;
    let units = shop.json(&["outbox", "list", "--status", "FAILED"]);
    let unit = units["rows"][0]["id"].to_string();
    let act = |word| {
        let filter = ["--destination", "KAFKA:order-events", "--reason", "INC-17", "--yes"];
        shop.json(&[&["outbox", word][..], &filter].concat())
    };
    let ended = act("retry");
    assert_eq!((&ended["state"], &ended["results"]), (&json!("ENDED"), &json!({"DONE": 1})));
    let status = || shop.json(&["outbox", "show", &unit])["status"].clone();
    assert_eq!(status(), "PENDING");
    shop.receive("").await;
    assert_eq!(status(), "FAILED");
    act("skip");
    assert_eq!(shop.json(&["outbox", "show", &unit])["skipped"], true);
    let nothing = act("skip");
    assert_eq!((&nothing["items"], &nothing["state"]), (&json!(0), &json!("ENDED")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operation_that_has_ended_cannot_be_changed() {
    let shop = Shop::open("operate-late").await;
    shop.says(0, &["inbox", "retry", "3", "--reason", "INC-17", "--yes"]);
    let late = shop.says(1, &["operation", "pause", "1", "--reason", "INC-17"]);
    assert!(late.contains("it is too late to pause it"), "{late}");
    assert!(
        shop.says(0, &["operation", "watch", "1"]).contains("operation 1 has ended: 1 of 1 met")
    );
    for word in ["show", "watch"] {
        let none = shop.says(1, &["operation", word, "99"]);
        assert!(none.contains("there is no operation 99"), "{word}: {none}");
    }
}
