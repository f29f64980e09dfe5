//! A message that failed is edited from the command line, and goes through.

use serde_json::json;

use crate::shop::Shop;

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_edited_and_goes_through() {
    let shop = Shop::open("operate-edit").await;
    // Message 5 pays an order that nobody placed: it is to place it.
    let placed = r#"{"id": "E-5", "type": "OrderPlaced",  "orderId": "O-3", "customer": "Cy", "total": 10.50}"#;
    shop.0.write("5.json", placed);
    let edit = ["inbox", "edit", "5", "--payload", "5.json", "--type", "OrderPlaced"];
    let told = shop.says(0, &[&edit[..], &["--dry-run"]].concat());
    assert!(
        told.contains("message 5 would be edited and tried again; what came is kept"),
        "{told}"
    );
    let refused = shop.says(2, &[&edit[..], &["--reason", "INC-17"]].concat());
    assert!(refused.contains("nobody is here who could be asked"), "{refused}");
    assert_eq!(shop.status("5"), "FAILED");
    let told = shop.says(0, &[&edit[..], &["--reason", "INC-17", "--yes"]].concat());
    assert!(told.contains("message 5 was edited and is tried again"), "{told}");
    let shown = shop.says(0, &["inbox", "show", "5"]);
    assert!(shown.contains("\nedited ") && shown.contains("\nwhat came\n"), "{shown}");
    assert!(!shown.contains("Cy"), "{shown}");
    let shown = shop.json(&["inbox", "show", "5", "--reveal", "--reason", "INC-17"]);
    assert_eq!(
        (&shown["payload"]["customer"], &shown["original"]["payload"]["amount"]),
        (&json!("Cy"), &json!(3))
    );
    let output =
        shop.types(&["inbox", "show", "5", "--reveal", "--reason", "x", "--output", "json"]);
    let output = String::from_utf8(output.stdout).unwrap();
    assert!(output.contains(r#""total":10.50"#), "to the letter: {output}");
    shop.receive("").await;
    assert_eq!(shop.status("5"), "PROCESSED");
    assert_eq!(shop.json(&["process", "show", "ORDER", "O-3"])["state"], "PLACED");
    let late = shop.says(1, &[&edit[..], &["--reason", "INC-17", "--yes"]].concat());
    assert!(late.contains("message 5 is not edited: had ended otherwise"), "{late}");
    let entry = &shop.json(&["audit", "list", "--action", "message.edit"])["rows"][0];
    assert_eq!((&entry["target"], &entry["reason"]), (&json!("inbox/5"), &json!("INC-17")));
    shop.0.write("bad.json", "{");
    let bad = ["inbox", "edit", "3", "--payload", "bad.json", "--reason", "x", "--yes"];
    assert!(shop.says(2, &bad).contains("bad.json is no JSON"));
}
