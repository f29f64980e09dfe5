//! An instance of a process is moved by hand, from the command line.

use serde_json::json;

use crate::shop::Shop;

/// An order that waits for its payment.
const PLACED: &str = r#"
{"topic": "orders", "key": "O-9", "value": {"id": "E-9", "type": "OrderPlaced", "orderId": "O-9", "customer": "Eve"}}
"#;

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_is_completed_by_hand() {
    let shop = Shop::open("operate-move").await;
    shop.receive(PLACED).await;
    let listed = shop.json(&["process", "list"]);
    assert_eq!(listed["rows"][0]["ends"], json!(["PAID", "CANCELLED"]));
    let before = shop.json(&["process", "show", "ORDER", "O-9"]);
    assert_eq!(
        (&before["state"], before["timers"].as_array().unwrap().len()),
        (&json!("PLACED"), 1)
    );
    let to = ["process", "move", "ORDER", "O-9", "CANCELLED"];
    let told = shop.says(0, &[&to[..], &["--dry-run"]].concat());
    assert!(told.starts_with("ORDER O-9 would move from PLACED to CANCELLED, version "), "{told}");
    assert!(told.contains("timers taken away: "), "{told}");
    let refused = shop.says(2, &[&to[..], &["--reason", "INC-17"]].concat());
    assert!(refused.contains("nobody is here who could be asked"), "{refused}");
    assert_eq!(shop.json(&["process", "show", "ORDER", "O-9"]), before);
    let meant = [&to[..], &["--reason", "INC-17", "--yes"]].concat();
    let late = shop.says(2, &[&meant[..], &["--version", "99"]].concat());
    assert!(late.contains("admin-instance-changed"), "{late}");
    let told = shop.says(0, &meant);
    assert!(told.starts_with("ORDER O-9 moved from PLACED to CANCELLED, version "), "{told}");
    let after = shop.json(&["process", "show", "ORDER", "O-9"]);
    assert_eq!((&after["state"], &after["timers"]), (&json!("CANCELLED"), &json!([])));
    assert_eq!(after["context"], before["context"]);
    let entry = &shop.json(&["audit", "list", "--target", "process/ORDER/O-9"])["rows"][0];
    assert_eq!((&entry["action"], &entry["reason"]), (&json!("process.move"), &json!("INC-17")));
    let nowhere = ["process", "move", "ORDER", "O-9", "GONE", "--reason", "x", "--yes"];
    assert!(shop.says(2, &nowhere).contains("ORDER has NEW, PLACED, PAID, CANCELLED"));
    let nobody = ["process", "move", "ORDER", "O-99", "PAID", "--reason", "x", "--yes"];
    assert!(shop.says(1, &nobody).contains("there is no instance"));
}
