//! Lists, and one thing whole.

use serde_json::Value;

use crate::shop::Shop;

fn ids(listing: &Value) -> Vec<i64> {
    listing["rows"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_are_found_by_what_one_knows_of_them() {
    let shop = Shop::open("operate-list").await;
    for (filter, expected) in [
        (&[][..], &[6, 5, 4, 3, 2, 1][..]),
        (&["--status", "failed,SERDE_ERROR"], &[6, 5, 3]),
        (&["--waits", "held"], &[4]),
        (&["--topic", "orders", "--type", "OrderPlaced"], &[1]),
        (&["--aggregate", "O-2"], &[4, 3]),
        (&["--message-id", "E-5"], &[5]),
        (&["--code", "ORDER_UNKNOWN"], &[5, 3]),
        (&["--failure", &shop.unknown_orders()], &[5, 3]),
        (&["--text", "7.25"], &[3]),
        (&["--since", "1h"], &[6, 5, 4, 3, 2, 1]),
        (&["--until", "1h"], &[]),
        (&["--since", "2020-01-01T00:00:00Z", "--status", "RETRY"], &[]),
        (&["--limit", "2"], &[6, 5]),
        (&["--before", "3"], &[2, 1]),
        (&["--limit", "4", "--all"], &[6, 5, 4, 3]),
    ] {
        let listing = shop.json(&[&["inbox", "list"], filter].concat());
        assert_eq!(ids(&listing), expected, "{filter:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_says_that_it_was_cut_and_where_it_goes_on() {
    let shop = Shop::open("operate-cut").await;
    let output = shop.types(&["inbox", "list", "--limit", "2"]);
    let [table, notes] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(lines[0].contains("status") && lines[1].contains("SERDE_ERROR"), "{table}");
    assert!(lines[2].contains("FAILED") && lines[2].contains("ORDER_UNKNOWN: "), "{table}");
    assert!(!table.contains('\u{1b}'), "no colour without a terminal: {table}");
    assert!(notes.contains("more: --before 5, or --all"), "{notes}");
    assert!(notes.contains("next: dipmo inbox show ID"), "{notes}");
    let all = shop.says(0, &["inbox", "list", "--all"]);
    assert!(!all.contains("more:"), "{all}");
    assert!(shop.says(0, &["inbox", "list", "--topic", "none"]).contains("nothing was found"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_in_is_masked_until_somebody_says_why() {
    let shop = Shop::open("operate-show").await;
    let masked = shop.says(0, &["inbox", "show", "3"]);
    assert!(masked.contains("status          FAILED\n"), "{masked}");
    assert!(masked.contains("failure         ORDER_UNKNOWN: "), "{masked}");
    assert!(masked.contains("place           orders/0@2\n"), "{masked}");
    assert!(masked.contains("Z (") && masked.contains(" ago)"), "exact and relative: {masked}");
    assert!(!masked.contains("7.25") && masked.contains("--reveal --reason WHY"), "{masked}");
    let why = ["--reveal", "--reason", "INC-17"];
    let revealed = shop.says(0, &[&["inbox", "show", "3"][..], &why].concat());
    assert!(revealed.contains(r#""amount":7.25"#), "{revealed}");
    let output = shop.types(&[&["inbox", "show", "2", "--output", "json"][..], &why].concat());
    let json = String::from_utf8(output.stdout).unwrap();
    assert!(json.contains(r#""amount":12.50"#), "to the letter: {json}");
    let audit = shop.json(&["audit", "list", "--action", "reveal"]);
    let targets: Vec<_> =
        audit["rows"].as_array().unwrap().iter().map(|it| &it["target"]).collect();
    assert_eq!(targets, ["inbox/2", "inbox/3"]);
    shop.says(2, &["inbox", "show", "3", "--reveal"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_grouped_and_lead_to_what_failed() {
    let shop = Shop::open("operate-failures").await;
    let list = shop.says(0, &["failures", "list"]);
    let group = shop.unknown_orders();
    let lines: Vec<&str> = list.lines().filter(|line| line.contains("ORDER_UNKNOWN")).collect();
    assert_eq!(lines.len(), 1, "{list}");
    assert!(
        lines[0].starts_with(&group) && lines[0].contains("inbox        2         0"),
        "{list}"
    );
    assert!(list.contains("TOPIC_CLOSED") && list.contains("dipmo failures show GROUP"), "{list}");
    let shown = shop.says(0, &["failures", "show", &group]);
    assert!(shown.contains("they say     nobody placed this order\n"), "{shown}");
    assert!(
        shown.contains(&format!("dipmo inbox retry --failure {group} --reason WHY")),
        "{shown}"
    );
    let json = shop.json(&["failures", "show", &group]);
    assert_eq!(json["failure"]["failed"], 2);
    assert_eq!(json["messages"].as_array().unwrap().len(), 2);
    let gone = shop.says(1, &["failures", "show", "0123456789abcdef"]);
    assert!(gone.contains("there is no group of failures 0123456789abcdef"), "{gone}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journey_goes_from_a_message_to_what_was_sent() {
    let shop = Shop::open("operate-journey").await;
    let journey = shop.says(0, &["inbox", "journey", "2"]);
    let unit = shop.json(&["outbox", "list"])["rows"][0]["id"].clone();
    assert!(journey.starts_with("message 2 · OrderPaid O-1 · PROCESSED DONE\n"), "{journey}");
    let intent =
        format!("  intent {unit} · OrderCompleted to KAFKA:order-events · FAILED TOPIC_CLOSED: ");
    assert!(journey.contains(&intent), "{journey}");
    assert!(journey.contains("received    message 2         orders/0@1\n"), "{journey}");
    assert_eq!(shop.json(&["inbox", "journey", "2"])["tree"]["intents"][0]["id"], unit);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_outbox_shows_what_was_refused() {
    let shop = Shop::open("operate-outbox").await;
    let filter = ["--status", "FAILED", "--destination", "KAFKA:order-events", "--cause", "2"];
    let listing = shop.json(&[&["outbox", "list"][..], &filter].concat());
    let unit = ids(&listing)[0].to_string();
    assert_eq!(listing["rows"][0]["failure"]["code"], "TOPIC_CLOSED");
    let shown = shop.says(0, &["outbox", "show", &unit]);
    assert!(shown.contains("destination   KAFKA:order-events\n"), "{shown}");
    assert!(shown.contains("cause         2\n"), "{shown}");
    let waits = shop.says(0, &["destination", "list"]);
    assert!(waits.lines().any(|line| line.starts_with("KAFKA:order-events")), "{waits}");
    assert_eq!(shop.json(&["destination", "list"])["outbox"]["KAFKA:order-events"]["failed"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_and_their_instances_can_be_looked_at() {
    let shop = Shop::open("operate-process").await;
    assert!(shop.says(0, &["process", "list"]).contains("ORDER    NEW, PLACED, PAID, CANCELLED"));
    assert_eq!(ids_of_text(&shop.json(&["process", "instances", "ORDER"])), ["O-1"]);
    let none = shop.json(&["process", "instances", "ORDER", "--state", "PLACED"]);
    assert!(ids_of_text(&none).is_empty());
    let shown = shop.says(0, &["process", "show", "ORDER", "O-1"]);
    assert!(shown.contains("state            PAID\n"), "{shown}");
    let unknown = shop.says(2, &["process", "instances", "ORDER", "--state", "GONE"]);
    assert!(unknown.contains("say one of NEW, PLACED, PAID, CANCELLED"), "{unknown}");
    assert!(shop.says(1, &["process", "show", "ORDER", "O-99"]).contains("there is no instance"));
}

fn ids_of_text(listing: &Value) -> Vec<&str> {
    listing["rows"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn short_lists_and_figures_are_there_without_an_instance() {
    let shop = Shop::open("operate-short").await;
    for noun in ["job", "lane", "instance"] {
        assert!(shop.json(&[noun, "list"])["rows"].as_array().unwrap().is_empty(), "{noun}");
        assert!(shop.says(0, &[noun, "list"]).contains("nothing was found"), "{noun}");
    }
    let figures = shop.says(0, &["top", "--times", "1"]);
    assert!(figures.contains("  inbox ready=0 retrying=0 held=1 parked=0 failed=3"), "{figures}");
    assert!(figures.contains("KAFKA:order-events ready=0"), "{figures}");
    assert_eq!(figures.lines().count(), 1, "{figures}");
    assert_eq!(shop.json(&["top", "--times", "1"])["inbox"]["held"], 1);
}
