//! Legs: what comes of a record, by the cases of a file.

use dipmo_config::declared::{DeclaredLeg, LegOutcome, LegRecord};
use dipmo_config::{Colour, References};
use dipmo_domain::Headers;
use dipmo_inbox::Record;

use crate::environment::Fixed;
use crate::valid::{load, texts};

/// The leg of `valid/legs.yaml`.
fn leg(name: &str) -> std::sync::Arc<DeclaredLeg> {
    let (_, text) = texts().into_iter().find(|(name, _)| name == "legs.yaml").unwrap();
    let loaded = load(&text, References::Resolve(&Fixed)).unwrap();
    let checked = loaded.check();
    let said = checked.problems.render(&loaded.files, Colour::Never);
    assert!(checked.problems.is_empty(), "{said}");
    let found = checked.declared.legs.into_iter().find(|leg| leg.name() == name);
    found.unwrap()
}

fn record(value: &[u8]) -> Record {
    Record {
        topic: "order-requests".to_owned(),
        key: Some(b"k".to_vec()),
        headers: Headers::default().with("trace", "t").with("country", "old"),
        value: Some(value.to_vec()),
        ..Record::default()
    }
}

fn applied(value: &str) -> LegOutcome {
    leg("by-country").apply(&record(value.as_bytes()))
}

fn sent(value: &str) -> Vec<LegRecord> {
    match applied(value) {
        LegOutcome::Send(sent) => sent,
        other => panic!("{other:?}"),
    }
}

fn code(outcome: &LegOutcome) -> (&'static str, String) {
    match outcome {
        LegOutcome::Undecodable(failure) => ("undecodable", failure.code().to_owned()),
        LegOutcome::Fail(failure) => ("fail", failure.code().to_owned()),
        LegOutcome::Retry(failure) => ("retry", failure.code().to_owned()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_case_sends_is_made_of_the_record() {
    let sent = sent(
        r#"{"country": "CH", "customer": 7, "id": "o", "quantity": 2, "lines": [{"n": 1}, {"n": 0}, {"n": 3}]}"#,
    );
    let swiss = &sent[0];
    assert_eq!((swiss.topic.as_str(), swiss.key.as_deref()), ("orders-ch", Some(&b"7"[..])));
    assert_eq!(swiss.value.as_deref(), Some(&br#"{"id":"o","topic":"order-requests"}"#[..]));
    let headers = Headers::default().with("trace", "t").with("country", "CH");
    assert_eq!(swiss.headers, headers, "one is set, the other goes along");
    let lines: Vec<_> = sent[1..].iter().map(|line| line.value.clone().unwrap()).collect();
    assert_eq!(lines, [b"1".to_vec(), b"3".to_vec()], "one for each item for which it is true");
}

#[test]
fn what_is_not_said_is_as_it_came() {
    let text = r#"{ "country" : "DE", "quantity": 1.0 }"#;
    let abroad = sent(text);
    let came = record(text.as_bytes());
    let LegRecord { topic, key, headers, value } = abroad[0].clone();
    assert_eq!((topic.as_str(), key, headers), ("orders-abroad", came.key, came.headers));
    assert_eq!(value, came.value, "byte for byte");
}

#[test]
fn a_case_may_drop_fail_and_ask_for_another_try() {
    assert_eq!(applied(r#"{"test": true, "quantity": 1}"#), LegOutcome::Drop);
    let failed = applied(r#"{"quantity": 0}"#);
    assert_eq!(code(&failed), ("fail", "QUANTITY".to_owned()));
    assert_eq!(code(&applied(r#"{"quantity": 1}"#)), ("retry", "COUNTRY_UNKNOWN".to_owned()));
}

#[test]
fn what_cannot_be_read_or_reckoned_with_says_why() {
    assert_eq!(code(&applied("{oops")), ("undecodable", "json-malformed".to_owned()));
    assert_eq!(code(&applied("{}")), ("fail", "expression-failed".to_owned()));
    let LegOutcome::Fail(failure) = applied(r#"{"quantity": "many"}"#) else { panic!("it did") };
    assert!(failure.message().contains("case 1 of the leg by-country"), "{failure:?}");
    assert!(!failure.message().contains("many"), "no value is shown");
}

#[test]
fn a_record_that_no_case_is_for_is_no_loss() {
    let nobody = leg("by-key").apply(&record(b"any"));
    assert_eq!(code(&nobody), ("fail", "leg-without-case".to_owned()));
}

#[test]
fn a_leg_that_does_not_read_the_value_takes_any_bytes() {
    let bytes = Record { key: Some(b"x-1".to_vec()), ..record(&[0xff, 0]) };
    let LegOutcome::Send(sent) = leg("by-key").apply(&bytes) else { panic!("it is not sent") };
    assert_eq!(sent[0].value.as_deref(), Some(&[0xff, 0][..]));
    let gone = Record { key: Some(b"x-1".to_vec()), value: None, ..record(b"") };
    let LegOutcome::Send(sent) = leg("by-key").apply(&gone) else { panic!("it is not sent") };
    assert_eq!(sent[0].value, None, "a tombstone stays one");
    // A key that is no text is null to an expression.
    let strange = Record { key: Some(vec![0xff]), ..record(b"any") };
    assert_eq!(code(&leg("by-key").apply(&strange)).0, "fail");
}
