//! Journeys, of messages that the engine itself moved.

use dipmo_admin::Role;
use dipmo_domain::OutboxId;
use dipmo_store::Operate as _;
use serde_json::Value;

use crate::relay::{BAD, Order};
use crate::rig::Rig;

async fn journey(rig: &Rig, id: &Value) -> Value {
    rig.get(Role::Viewer, &format!("/messages/{id}/journey")).await.is(200).clone()
}

fn tell(destinations: usize) -> Vec<String> {
    vec!["INTERNAL:relay".to_owned(); destinations]
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_followed_to_what_it_became_and_back() {
    let (rig, world) = Rig::new().await;
    let there = journey(&rig, &world.told.0.into()).await;
    assert_eq!(there["cut"], false);
    assert!(list(&there["came_from"]).is_empty());
    let message = &there["tree"]["message"];
    assert_eq!((&message["topic"], &message["offset"]), (&"orders".into(), &1.into()));
    assert_eq!((&message["status"], &message["outcome"]), (&"PROCESSED".into(), &"DONE".into()));
    let [intent] = list(&there["tree"]["intents"]) else { panic!("{there:#}") };
    assert_eq!(intent["destination"], "INTERNAL:relay");
    assert_eq!(intent["reply_to"]["id"], "O-1");
    assert_eq!(intent["units"][0]["status"], "DISPATCHED");
    let became = list(&intent["became"]);
    let hows: Vec<_> = became.iter().map(|it| (&it["how"], &it["message"]["event_type"])).collect();
    let (delivery, answer) = (&Value::from("delivery"), &Value::from("answer"));
    assert_eq!(hows, [(delivery, &"Told".into()), (answer, &"Delivered".into())]);
    for (node, how) in became.iter().zip(["delivery", "answer"]) {
        let back = journey(&rig, &node["id"]).await;
        let [origin] = list(&back["came_from"]) else { panic!("{back:#}") };
        assert_eq!((&origin["how"], &origin["from"]), (&how.into(), &intent["id"]));
        assert_eq!(origin["intent"]["id"], intent["id"]);
        assert_eq!(origin["cause"]["id"], world.told.0);
    }
    let steps = list(&there["steps"]);
    let at: Vec<&str> = steps.iter().map(|step| step["at"].as_str().unwrap()).collect();
    assert!(at.is_sorted(), "{at:?}");
    assert_eq!((&steps[0]["what"], &steps[0]["note"]), (&"received".into(), &"orders/0@1".into()));
    let whats: Vec<&str> = steps.iter().map(|step| step["what"].as_str().unwrap()).collect();
    assert_eq!(whats[..5], ["received", "processed", "intended", "dispatched", "received"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn records_tell_what_became_of_each() {
    let (rig, world) = Rig::new().await;
    let there = journey(&rig, &world.sent.0.into()).await;
    let units = list(&there["tree"]["intents"][0]["units"]);
    let told: Vec<_> = units.iter().map(|unit| (&unit["record"], &unit["external_ref"])).collect();
    assert_eq!(told[0], (&"r1".into(), &"there-r1".into()));
    assert_eq!(told[1], (&"bad".into(), &Value::Null));
    assert_eq!(units[1]["failure"]["code"], "DISLIKED");
    assert_eq!(units[1]["failure"]["message"], "it does not like \"…\"");
    let rejected = journey(&rig, &world.rejected.0.into()).await;
    assert_eq!(rejected["tree"]["message"]["failure"]["code"], "NO_CUSTOMER");
    let held = journey(&rig, &world.held.0.into()).await;
    assert_eq!(held["tree"]["message"]["held_behind"], world.rejected.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_about_an_intent_is_found_also_after_a_retry() {
    let rig = Rig::empty().await;
    let records = vec!["r1".to_owned(), BAD.to_owned()];
    let asks = Order { tell: vec!["KAFKA:out".to_owned()], records, ask: true, ..Order::default() };
    let ids = rig.orders(&[("A-1", asks)]).await;
    let failed = rig.get(Role::Viewer, "/units?status=FAILED").await.rows()[0]["id"].clone();
    rig.store.retry_units(&[OutboxId(failed.as_i64().unwrap())], false).await.unwrap();
    rig.settle().await;
    let there = journey(&rig, &ids[0].0.into()).await;
    let became = list(&there["tree"]["intents"][0]["became"]);
    let names: Vec<_> = became.iter().map(|it| &it["message"]["message_id"]).collect();
    let name = format!("outbox:{}", there["tree"]["intents"][0]["id"]);
    assert_eq!(names, [&Value::from(name.clone()), &format!("{name}:1").into()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journey_without_end_is_cut_and_says_so() {
    let rig = Rig::empty().await;
    let deep = Order { tell: tell(1), hops: 7, ..Order::default() };
    let short = Order { tell: tell(1), hops: 4, ..Order::default() };
    let ids = rig.orders(&[("D-1", deep), ("D-2", short)]).await;
    let levels = |journey: &Value| {
        let (mut levels, mut node) = (0, &journey["tree"]);
        while let Some(next) = node["intents"][0]["became"].get(0) {
            (levels, node) = (levels + 1, next);
        }
        (levels, node["id"].clone())
    };
    let there = journey(&rig, &ids[0].0.into()).await;
    let (count, last) = levels(&there);
    assert_eq!((count, &there["cut"]), (5, &true.into()));
    let (count, end) = levels(&journey(&rig, &last).await);
    assert_eq!(count, 3, "the rest of it");
    let back = journey(&rig, &end).await;
    assert_eq!((list(&back["came_from"]).len(), &back["cut"]), (5, &true.into()));
    let there = journey(&rig, &ids[1].0.into()).await;
    assert_eq!((levels(&there).0, &there["cut"]), (5, &false.into()), "all of it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journey_with_too_much_in_it_is_cut_and_says_so() {
    let rig = Rig::empty().await;
    let records = |count: usize| (0..count).map(|n| format!("r{n}")).collect::<Vec<_>>();
    let out = vec!["KAFKA:out".to_owned()];
    let wide = Order { tell: tell(250), ..Order::default() };
    let many = Order { tell: out.clone(), records: records(150), ..Order::default() };
    let very_many = Order { tell: out, records: records(700), ..Order::default() };
    let ids = rig.orders(&[("W-1", wide), ("W-2", many), ("W-3", very_many)]).await;
    let there = journey(&rig, &ids[0].0.into()).await;
    let intents = list(&there["tree"]["intents"]);
    assert_eq!((intents.len(), &there["cut"]), (199, &true.into()), "with the message itself 200");
    for (id, more) in [(&ids[1], 50), (&ids[2], 600)] {
        let there = journey(&rig, &id.0.into()).await;
        let intent = &there["tree"]["intents"][0];
        assert_eq!(list(&intent["units"]).len(), 100);
        assert_eq!((&intent["more_units"], &there["cut"]), (&more.into(), &true.into()));
    }
}
