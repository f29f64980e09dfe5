//! Messages that were processed are processed once more.

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_admin::{AppOptions, Rehearse, Rehearsed, Role, Sends};
use dipmo_domain::{InboxId, StoreError};
use dipmo_inbox::{Message, NewMessage};
use dipmo_processing::operations::{Performer, Redecode};
use dipmo_store::admin::{Browse as _, OperationId};
use dipmo_store::{History as _, Store as _};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::rig::Rig;

/// Decodes nothing: nothing here is to be decoded.
struct Nobody;

impl Redecode for Nobody {
    fn decode_again(&self, _: &Message) -> Option<NewMessage> {
        None
    }
}

/// Says of every message that it would send something.
#[derive(Debug)]
struct Sender;

#[async_trait]
impl Rehearse for Sender {
    async fn rehearse(
        &self,
        messages: &[(InboxId, NewMessage)],
    ) -> Result<Vec<Rehearsed>, StoreError> {
        let sends =
            Sends { event: "Sent".to_owned(), destination: "KAFKA:out".to_owned(), records: 0 };
        let told = messages.iter().map(|(id, message)| Rehearsed {
            outcome: "GOES",
            process: Some("RELAY".to_owned()),
            instance: message.aggregate_id.clone(),
            sends: vec![sends.clone()],
            ..Rehearsed::of(*id)
        });
        Ok(told.collect())
    }
}

fn wish(target: &Value, dry_run: bool) -> Value {
    json!({"act": "replay", "target": target, "reason": "a test", "dry_run": dry_run})
}

async fn perform(rig: &Rig, id: i64) {
    let store = Arc::clone(&rig.store) as _;
    let mut performer = Performer::new(store, Arc::new(Nobody), "here".to_owned());
    performer.perform_one(OperationId(id), |_| {}, CancellationToken::new()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_tells_what_would_come_of_it_and_changes_nothing() {
    let rig =
        Rig::with(AppOptions { rehearse: Some(Arc::new(Sender)), ..AppOptions::default() }).await;
    let world = rig.live().await;
    let before = rig.get(Role::Viewer, "/messages").await.text;
    let filter = json!({"messages": {"topic": "orders"}});
    let answer = rig.post(Role::Operator, "/operations", wish(&filter, true)).await;
    let preview = &answer.is(200)["preview"];
    assert_eq!(preview["by_status"], json!({"PROCESSED": 2}), "and not what failed or is held");
    assert_eq!(preview["sample"], json!([world.told.0, world.sent.0]));
    let told = preview["rehearsal"].as_array().unwrap();
    let ids: Vec<&Value> = told.iter().map(|it| &it["message"]).collect();
    assert_eq!(ids, [&json!(world.told.0), &json!(world.sent.0)], "as they came");
    assert_eq!(
        told[0]["sends"],
        json!([{"event": "Sent", "destination": "KAFKA:out", "records": 0}])
    );
    let named = json!({"ids": {"side": "inbox", "ids": [world.sent.0, world.rejected.0, 99]}});
    let answer = rig.post(Role::Operator, "/operations", wish(&named, true)).await;
    let told = answer.is(200)["preview"]["rehearsal"].as_array().unwrap();
    assert_eq!((told.len(), &told[0]["message"]), (1, &json!(world.sent.0)));
    assert_eq!(rig.get(Role::Viewer, "/messages").await.text, before);
    let nobody_knows = Rig::new().await.0;
    let answer = nobody_knows.post(Role::Operator, "/operations", wish(&filter, true)).await;
    assert!(answer.is(200)["preview"].get("rehearsal").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_processed_once_more_and_names_the_first() {
    let (rig, world) = Rig::new().await;
    let target = json!({"ids": {"side": "inbox", "ids": [world.sent.0, world.rejected.0]}});
    let begun = rig.post(Role::Operator, "/operations", wish(&target, false)).await;
    let id = begun.is(202)["operation"]["id"].as_i64().unwrap();
    perform(&rig, id).await;
    let operation = rig.get(Role::Viewer, &format!("/operations/{id}")).await;
    assert_eq!(operation.is(200)["results"], json!({"DONE": 1, "WRONG_STATUS": 1}));
    let newest = rig.get(Role::Viewer, "/messages?limit=1").await.rows()[0].clone();
    assert_eq!(newest["message_id"], format!("replay:{id}:{}", world.sent.0));
    let path = format!("/messages/{}", newest["id"]);
    let shown = rig.get(Role::Viewer, &path).await;
    assert_eq!(shown.is(200)["replay_of"], world.sent.0);
    let first = rig.store.message(world.sent).await.unwrap().unwrap();
    let second = InboxId(newest["id"].as_i64().unwrap());
    let again = rig.store.message(second).await.unwrap().unwrap();
    assert_eq!(again.message.payload, first.message.payload);
    rig.settle().await;
    let shown = rig.get(Role::Viewer, &path).await;
    assert_eq!(shown.is(200)["status"], "PROCESSED");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_before_the_horizon_is_refused() {
    let (rig, world) = Rig::new().await;
    let now = rig.store.now().await.unwrap();
    rig.store.forget_ids_before(now, 1).await.unwrap();
    let filter = json!({"messages": {"topic": "orders"}});
    for dry_run in [true, false] {
        let answer = rig.post(Role::Operator, "/operations", wish(&filter, dry_run)).await;
        let problem = answer.is_problem(409, "admin-past-horizon");
        assert!(problem["hint"].as_str().unwrap().contains(&now.to_string()), "{}", answer.text);
    }
    let target = json!({"ids": {"side": "inbox", "ids": [world.sent.0]}});
    let begun = rig.post(Role::Operator, "/operations", wish(&target, false)).await;
    let id = begun.is(202)["operation"]["id"].as_i64().unwrap();
    perform(&rig, id).await;
    let operation = rig.get(Role::Viewer, &format!("/operations/{id}")).await;
    assert_eq!(operation.is(200)["results"], json!({"PAST_HORIZON": 1}));
}
