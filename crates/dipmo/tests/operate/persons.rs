//! Tokens are made, shown once and revoked.

use crate::program::said;
use crate::shop::Shop;

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_shown_once_and_alone_on_standard_output() {
    let shop = Shop::open("operate-tokens").await;
    let made = shop.types(&["token", "make", "jane", "--role", "operator", "--days", "90"]);
    assert_eq!(made.status.code(), Some(0), "{}", said(&made));
    let token = String::from_utf8(made.stdout.clone()).unwrap();
    assert_eq!((token.lines().count(), token.split_whitespace().count()), (1, 1), "{token}");
    let notes = String::from_utf8(made.stderr).unwrap();
    assert!(
        notes.starts_with("this is token 1 of jane in the role operator, good until "),
        "{notes}"
    );
    assert!(!notes.contains(token.trim()));
    let list = shop.says(0, &["token", "list"]);
    assert!(
        list.contains("jane") && list.contains("in 89d") && !list.contains(token.trim()),
        "{list}"
    );
    let audit = shop.says(0, &["audit", "list", "--output", "json"]);
    assert!(audit.contains("token.make") && !audit.contains(token.trim()), "{audit}");
}

#[tokio::test(flavor = "multi_thread")]
async fn how_long_a_token_is_good_must_be_said() {
    let shop = Shop::open("operate-how-long").await;
    assert!(shop.says(2, &["token", "make", "jane"]).contains("--days <NUMBER>|--for-ever"));
    let made = shop.json(&["token", "make", "jane", "--for-ever"]);
    assert_eq!((&made["role"], &made["expires_at"]), (&"viewer".into(), &serde_json::Value::Null));
    let twice = shop.says(2, &["token", "make", "jane", "--for-ever"]);
    assert!(twice.contains("error[admin-token-exists]: "), "{twice}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_revoked_once() {
    let shop = Shop::open("operate-revoke").await;
    shop.says(0, &["token", "make", "jane", "--for-ever"]);
    shop.says(2, &["token", "revoke", "1"]);
    let revoked = shop.says(0, &["token", "revoke", "1", "--reason", "INC-17"]);
    assert_eq!(revoked, "token 1 is good for nothing now\n");
    let again = shop.says(1, &["token", "revoke", "1", "--reason", "INC-17"]);
    assert!(again.contains("error[admin-not-found]: "), "{again}");
    assert!(!shop.json(&["token", "list"])["rows"][0]["revoked_at"].is_null());
}
