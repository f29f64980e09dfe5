//! JSON that some databases refuse: SQLite keeps all of it to the letter, so PAYLOAD IS JSON holds.

use dipmo_domain::Json;
use dipmo_store_tests::support::{event_saying, rows, stored};

use crate::folder::Folder;

#[tokio::test]
async fn odd_json_is_kept_to_the_letter() {
    let deep = format!("{}{}", "[".repeat(128), "]".repeat(128));
    let odd = [
        r#""\u0000""#,
        r#""\ud800""#,
        r#"{"\ud800":1}"#,
        "1e400",
        "-0",
        "123456789012345678901234567890.5",
        r#"{"a":1,"a":2}"#,
        " {\"z\": 1,\t\"a\": 2}\r\n",
        "\"\u{7f}\u{2028}\u{10ffff}\"",
        &deep,
    ];
    let folder = Folder::new();
    let store = folder.store().await;
    let messages: Vec<_> = (1..).zip(odd).map(|(n, text)| event_saying("F-1", n, text)).collect();
    stored(&store, &messages).await;
    let kept: Vec<_> = rows(&store).await.into_iter().map(|row| row.message.payload).collect();
    let given: Vec<_> = odd.iter().map(|text| Some(Json::parse(text).unwrap())).collect();
    assert_eq!(kept, given);
}

#[tokio::test]
async fn nobody_else_can_store_what_is_not_json() {
    let folder = Folder::new();
    drop(folder.store().await);
    let insert = "INSERT INTO inbox_log (id, message_id, source_system, topic, partition_num, \
                  offset_num, received_at, lane, payload) VALUES (1, 'm', 's', 't', 0, 0, 0, 0, ?1)";
    let error = folder.look().execute(insert, ["{'a':1}"]).unwrap_err();
    assert!(error.to_string().contains("json_valid(payload)"), "{error}");
    let error = folder.look().execute(insert, [rusqlite::types::Null]).unwrap_err();
    assert!(error.to_string().contains("CK_INBOX_PAYLOAD_OR_RAW"), "{error}");
}
