//! What an aggregate left is erased, from the command line.

use serde_json::json;

use crate::shop::Shop;

/// An order that waits for its payment.
const PLACED: &str = r#"
{"topic": "orders", "key": "O-9", "value": {"id": "E-9", "type": "OrderPlaced", "orderId": "O-9", "customer": "Zebraclara"}}
"#;

const PAID: &str = r#"
{"topic": "orders", "key": "O-9", "value": {"id": "E-10", "type": "OrderPaid", "orderId": "O-9", "amount": 17}}
"#;

#[tokio::test(flavor = "multi_thread")]
async fn an_order_is_erased_once_it_has_ended() {
    let shop = Shop::open("operate-erase").await;
    shop.receive(PLACED).await;
    let erase = ["aggregate", "erase", "O-9"];
    let waits = shop.says(2, &[&erase[..], &["--dry-run"]].concat());
    assert!(waits.contains("admin-aggregate-waits"), "{waits}");
    assert!(waits.contains("ORDER O-9 stands in PLACED"), "{waits}");
    let to = ["process", "move", "ORDER", "O-9", "CANCELLED", "--reason", "INC-17", "--yes"];
    shop.says(0, &to);
    let told = shop.says(0, &[&erase[..], &["--dry-run"]].concat());
    assert!(told.starts_with("O-9 would be erased\n"), "{told}");
    assert!(
        told.contains("          1  inbox_log\n") && told.contains("instances: ORDER/O-9"),
        "{told}"
    );
    let refused = shop.says(2, &[&erase[..], &["--reason", "INC-17"]].concat());
    assert!(refused.contains("nobody is here who could be asked"), "{refused}");
    let reveal = ["--reveal", "--reason", "INC-17"];
    let instance = [&["process", "show", "ORDER", "O-9"][..], &reveal].concat();
    assert!(shop.json(&instance).to_string().contains("Zebraclara"));
    let told = shop.says(0, &[&erase[..], &["--reason", "INC-17", "--yes"]].concat());
    assert!(told.starts_with("O-9 was erased\n"), "{told}");
    assert!(told.contains("          0  rows hold something still\n"), "{told}");
    let after = shop.json(&instance);
    assert!(!after.to_string().contains("Zebraclara"), "{after}");
    assert_eq!(after["state"], json!("CANCELLED"));
    let entry = &shop.json(&["audit", "list", "--target", "aggregate/O-9"])["rows"][0];
    assert_eq!((&entry["action"], &entry["reason"]), (&json!("aggregate.erase"), &json!("INC-17")));
    shop.receive(PAID).await;
    let listed = shop.json(&["inbox", "list", "--aggregate", "O-9", "--type", "OrderPaid"]);
    assert_eq!(listed["rows"][0]["outcome"], json!("IGNORED"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_is_named_by_process_and_id() {
    let shop = Shop::open("operate-erase-named").await;
    let erase = ["aggregate", "erase", "O-9", "--dry-run", "--instance", "ORDER"];
    assert!(shop.says(2, &erase).contains("say it as PROCESS/ID"));
}
