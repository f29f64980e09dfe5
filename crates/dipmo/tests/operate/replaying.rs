//! Messages that were processed are processed once more, from the command line.

use serde_json::json;

use crate::shop::Shop;

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_decides_and_does_nothing() {
    let shop = Shop::open("operate-rehearse").await;
    let before = [shop.json(&["inbox", "list"]), shop.json(&["outbox", "list"])];
    let replay = ["replay", "--aggregate", "O-1", "--dry-run"];
    let told = shop.says(0, &replay);
    assert!(told.starts_with("2 to replay\n  each is a new message"), "{told}");
    assert!(told.contains("  1  ORDER O-1: STAYS PAID (duplicate"), "as it stands now: {told}");
    shop.says(0, &["process", "move", "ORDER", "O-1", "NEW", "--reason", "x", "--yes"]);
    let told = shop.says(0, &replay);
    assert!(told.contains("  1  ORDER O-1: GOES NEW → PLACED, "), "{told}");
    assert!(told.contains("  2  ORDER O-1: GOES PLACED → PAID, "), "after the first: {told}");
    assert!(told.contains("sends OrderCompleted to KAFKA:order-events"), "{told}");
    assert!(!told.contains("Ada") && !told.contains("12.5"), "nothing of what is in it: {told}");
    assert_eq!([shop.json(&["inbox", "list"]), shop.json(&["outbox", "list"])], before);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_processed_is_processed_once_more() {
    let shop = Shop::open("operate-replay").await;
    shop.says(0, &["process", "move", "ORDER", "O-1", "PLACED", "--reason", "x", "--yes"]);
    let told = shop.says(0, &["replay", "2", "--reason", "INC-17", "--yes"]);
    assert!(told.contains("operation 1 began: 1 to replay\n"), "{told}");
    let newest = shop.json(&["inbox", "list", "--limit", "1"])["rows"][0].clone();
    let second = newest["id"].to_string();
    assert!(shop.says(0, &["inbox", "show", &second]).contains("\nreplay of       2\n"));
    shop.receive("").await;
    assert_eq!(shop.status(&second), "PROCESSED");
    let instance = shop.json(&["process", "show", "ORDER", "O-1"]);
    assert_eq!(instance["state"], "PAID");
    let sent = shop.json(&["outbox", "list", "--cause", &second]);
    assert_eq!(sent["rows"][0]["event_type"], "OrderCompleted");
    assert_eq!(sent["rows"].as_array().unwrap().len(), 1);
    // Asked for by a filter, the first is found and not what repeats it.
    let told = shop.json(&["replay", "--aggregate", "O-1", "--dry-run"]);
    assert_eq!(told["preview"]["sample"], json!([1, 2]));
    let failed = shop.says(1, &["replay", "3", "--reason", "INC-17", "--yes"]);
    assert!(failed.contains("1  WRONG_STATUS "), "{failed}");
}
