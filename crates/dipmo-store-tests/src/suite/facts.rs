//! Facts and waves: what a wave reads is what the waves before it wrote.

use dipmo_api::{DomainWrite, FactRequest};
use dipmo_domain::Value;
use dipmo_store::{Changes, ClaimedBatch, Needs};

use crate::support::{
    Script, alone, batch, changed_state, done, event, intent, kafka, new_state, retry, row_of,
    settle, stored, suite_key, take,
};
use crate::{Fixture, ITEMS_BY_REGION, ITEMS_OF_NUMBER, LABEL_BY_ID, items_table, labels_table};

fn item(region: &str, number: i64) -> DomainWrite {
    DomainWrite::upsert(items_table())
        .set("REGION", region)
        .set("ITEM_NO", number)
        .set("REVISION", 1)
}

fn fact(name: &'static str, key: impl Into<Value>) -> FactRequest {
    FactRequest::new(name, key.into())
}

/// Settles only one of the messages, by its place.
fn only(batch: &ClaimedBatch, place: usize) -> Changes {
    let id = batch.messages[place].message.id;
    settle(batch, |claimed| (claimed.message.id == id).then_some(done()))
}

/// Facts by text and by number, with all rows and all columns.
pub async fn facts_are_found_by_key<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &[alone(1)]).await;
    let writes = vec![
        item("EU", 1).set("NAME", "one"),
        item("EU", 2),
        item("US", 1),
        DomainWrite::upsert(labels_table()).set("LABEL_ID", "L-1").set("CAPTION", "c"),
    ];
    batch(&*store, Script::writing(|_| Changes { writes, ..Changes::default() })).await.unwrap();

    stored(&*store, &[alone(2)]).await;
    let (eu, us) = (fact(ITEMS_BY_REGION, "EU"), fact(ITEMS_BY_REGION, "US"));
    let (nowhere, ones) = (fact(ITEMS_BY_REGION, "XX"), fact(ITEMS_OF_NUMBER, 1));
    let label = fact(LABEL_BY_ID, "L-1");
    let null = fact(ITEMS_BY_REGION, Value::Null);
    let asked = [&eu, &us, &nowhere, &null, &ones, &label, &eu].map(Clone::clone).to_vec();
    let ran =
        batch(&*store, Script::reading(Needs { facts: asked, ..Needs::default() })).await.unwrap();
    let facts = &ran.found[0].facts;
    assert_eq!(facts.rows(&eu).len(), 2, "asked twice, told once");
    assert_eq!(facts.rows(&us).len(), 1);
    assert_eq!(facts.rows(&nowhere).len(), 0);
    assert_eq!(facts.rows(&null).len(), 0);
    assert_eq!(facts.rows(&ones).len(), 2);
    assert_eq!(facts.rows(&label)[0]["CAPTION"], Value::from("c"));
    let one = facts.rows(&eu).iter().find(|row| row["ITEM_NO"] == Value::Integer(1)).unwrap();
    assert_eq!(one["NAME"], Value::from("one"));
    assert_eq!(one.len(), items_table().columns.len(), "every column of the definition");
}

/// A fact of the second wave sees what the first wave wrote.
pub async fn a_wave_sees_the_wave_before<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &[event("F-1", 1), event("F-1", 2)]).await;
    let eu = fact(ITEMS_BY_REGION, "EU");
    let needs =
        Needs { facts: vec![eu.clone()], states: vec![suite_key("S-1")], ..Needs::default() };
    let (first, second) = (needs.clone(), needs);
    let script = Script::default()
        .wave(
            |_| first,
            |batch, _| Changes {
                writes: vec![item("EU", 1)],
                states: vec![new_state("S-1")],
                ..only(batch, 0)
            },
        )
        .wave(
            |_| second,
            |batch, _| Changes {
                writes: vec![item("EU", 2)],
                states: vec![changed_state("S-1", 1)],
                ..only(batch, 1)
            },
        );
    let ran = batch(&*store, script).await.unwrap();
    assert_eq!(ran.found.len(), 2);
    assert!(ran.found[0].facts.rows(&eu).is_empty() && ran.found[0].states.is_empty());
    assert_eq!(ran.found[1].facts.rows(&eu).len(), 1);
    assert_eq!(ran.found[1].states[&suite_key("S-1")].version, 1);
    assert_eq!(store.instance(&suite_key("S-1")).await.unwrap().unwrap().version, 2);
    assert_eq!(store.domain_rows(&items_table()).await.unwrap().len(), 2);
}

/// A block that a wave sets is found by the next one.
pub async fn a_wave_sees_the_blocks_of_the_wave_before<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), event("F-1", 2)]).await;
    let key = event("F-1", 1).order_key.unwrap();
    let needs = Needs { blocks: vec![key.clone()], ..Needs::default() };
    let (first, second, head) = (needs.clone(), needs, ids[0]);
    let script = Script::default()
        .wave(
            |_| first,
            move |batch, _| {
                let kind = retry(std::time::Duration::ZERO);
                settle(batch, |claimed| (claimed.message.id == head).then(|| kind.clone()))
            },
        )
        .wave(
            |_| second,
            move |batch, _| {
                let kind = dipmo_store::SettlementKind::Held;
                settle(batch, |claimed| (claimed.message.id != head).then(|| kind.clone()))
            },
        );
    let ran = batch(&*store, script).await.unwrap();
    assert_eq!(ran.found[0].blocks.get(&key), None);
    assert_eq!(ran.found[1].blocks[&key].head, head);
    let row = row_of(&*store, ids[1]).await;
    assert_eq!(row.held_behind, Some(head));
}

/// Waves that change nothing, and many of them.
pub async fn a_hundred_waves<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &(0..100).map(alone).collect::<Vec<_>>()).await;
    let mut script = Script::default().wave(|_| Needs::default(), |_, _| Changes::default());
    for place in 0..100 {
        script = script.wave(|_| Needs::default(), move |batch, _| only(batch, place));
    }
    assert_eq!(batch(&*store, script).await.unwrap().found.len(), 101);
    assert!(batch(&*store, Script::process_all()).await.unwrap().messages.is_empty());
}

/// Intents keep the order of the waves that wrote them.
pub async fn intents_keep_the_order_of_waves<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &[event("F-1", 1), event("F-1", 2)]).await;
    let writes = |number: i64| vec![intent(&kafka("t"), "F-1", number)];
    let script = Script::default()
        .wave(
            |_| Needs::default(),
            move |batch, _| Changes { intents: writes(1), ..only(batch, 0) },
        )
        .wave(
            |_| Needs::default(),
            move |batch, _| Changes { intents: writes(2), ..only(batch, 1) },
        );
    assert_eq!(batch(&*store, script).await.unwrap().report.intents, 2);
    let units = take(&*store, &kafka("t"), "o").await.units;
    let payloads: Vec<_> = units.iter().map(|unit| unit.payload.as_str().to_owned()).collect();
    assert_eq!(payloads, [r#"{"n":1}"#, r#"{"n":2}"#]);
}
