//! What is held back from the command line, and how that looks.

use crate::shop::Shop;

const TO: &str = "KAFKA:order-events";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_paused_is_listed_until_it_is_resumed() {
    let shop = Shop::open("operate-pausing").await;
    let because = ["--reason", "INC-17"];
    let says = |code, words: &[&str]| shop.says(code, &[words, &because].concat());
    for (noun, name) in [("source", "shop"), ("destination", TO)] {
        let said = says(0, &[noun, "pause", name]);
        assert!(said.contains(&format!("{name} is paused; every instance obeys")), "{said}");
        let said = says(0, &[noun, "pause", name]);
        assert!(said.contains(&format!("{name} was paused already, by ")), "{said}");
        let listed = shop.says(0, &[noun, "list"]);
        let line = listed.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(line.contains(" by ") && line.ends_with(": INC-17"), "{line}");
        let top = shop.says(0, &["top", "--times", "1"]);
        assert!(top.contains(&format!("{name} paused")), "{top}");
        let said = says(0, &[noun, "resume", name]);
        assert!(said.contains(&format!("{name} goes on; every instance obeys")), "{said}");
        let said = says(0, &[noun, "resume", name]);
        assert!(said.contains(&format!("{name} was not paused")), "{said}");
        let listed = shop.says(0, &[noun, "list"]);
        assert!(!listed.contains("INC-17"), "{listed}");
    }
    let audit = shop.json(&["audit", "list"]);
    let actions: Vec<_> =
        audit["rows"].as_array().unwrap().iter().map(|it| &it["action"]).collect();
    let wanted = ["destination.resume", "destination.pause", "source.resume", "source.pause"];
    assert_eq!(actions, wanted);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slip_of_the_pen_pauses_nothing_and_is_told_what_there_is() {
    let shop = Shop::open("operate-pausing-slip").await;
    for (words, there) in [
        (&["source", "pause", "shpo"][..], "shop"),
        (&["destination", "resume", "order-events"], TO),
    ] {
        let said = shop.says(1, &[words, &["--reason", "INC-17"]].concat());
        assert!(said.contains("error[admin-name-unknown]") && said.contains(there), "{said}");
    }
    let breaker = ["destination", "breaker", TO, "open", "--reason", "INC-17"];
    let said = shop.says(2, &breaker);
    assert!(said.contains("has no breaker and no rate"), "{said}");
    assert!(shop.json(&["audit", "list"])["rows"].as_array().unwrap().is_empty());
}
