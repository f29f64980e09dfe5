//! Lists, page by page, and what they are filtered by.

use dipmo_admin::Role;
use dipmo_domain::InboxId;
use serde_json::{Value, json};

use crate::relay::Order;
use crate::rig::Rig;

/// The ids of all pages of a list.
async fn turned(rig: &Rig, path: &str, name: &str) -> Vec<Value> {
    let (mut ids, mut next) = (Vec::new(), Value::Null);
    loop {
        let from = match &next {
            Value::Null => String::new(),
            Value::String(text) => format!("&{name}={text}"),
            other => format!("&{name}={other}"),
        };
        let page = rig.get(Role::Operator, &format!("{path}{from}")).await;
        assert!(page.rows().len() <= 2, "{}", page.text);
        ids.extend(page.rows().iter().map(|row| row["id"].clone()));
        next = page.body["next"].clone();
        if next.is_null() {
            return ids;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_have_every_row_once() {
    let (rig, _) = Rig::new().await;
    let orders: Vec<_> = ["P-1", "P-2", "P-3"].map(|id| (id, Order::default())).into();
    rig.orders(&orders).await;
    for (path, name, all) in [
        ("/messages?limit=2", "before", "/messages?limit=500"),
        ("/units?limit=2", "before", "/units?limit=500"),
        ("/audit?limit=2", "before", "/audit?limit=500"),
        ("/processes/RELAY/instances?limit=2", "behind", "/processes/RELAY/instances?limit=500"),
    ] {
        let whole = rig.get(Role::Operator, all).await;
        let ids: Vec<Value> = whole.rows().iter().map(|row| row["id"].clone()).collect();
        assert!(ids.len() > 2, "{path}: {ids:?}");
        assert_eq!(turned(&rig, path, name).await, ids, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn items_of_an_operation_come_in_pages_and_by_result() {
    let rig = Rig::empty().await;
    let target = json!({"ids": {"side": "inbox", "ids": [5, 3, 1, 4, 2]}});
    let wish = json!({"act": "skip", "target": target, "reason": "a test", "dry_run": false});
    let answer = rig.post(Role::Operator, "/operations", wish).await;
    let path = format!("/operations/{}/items", answer.is(202)["operation"]["id"]);
    let ids = turned(&rig, &format!("{path}?limit=2"), "behind").await;
    assert_eq!(ids, [1, 2, 3, 4, 5].map(Value::from));
    assert!(rig.get(Role::Viewer, &format!("{path}?result=DONE")).await.rows().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_find_what_they_say() {
    let (rig, world) = Rig::new().await;
    let groups = rig.get(Role::Viewer, "/failures").await;
    let of = |code: &str| {
        let group = groups.rows().iter().find(|group| group["code"] == code).unwrap();
        group["fingerprint"].as_str().unwrap().to_owned()
    };
    let (customer, disliked) = (of("NO_CUSTOMER"), of("DISLIKED"));
    let ids = |ids: &[InboxId]| ids.iter().map(|id| Value::from(id.0)).collect::<Vec<_>>();
    let (sent, rejected) = (ids(&[world.sent]), ids(&[world.rejected]));
    let aside = ids(&[world.poison, world.rejected]);
    for (filter, expected) in [
        ("status=FAILED".to_owned(), &rejected),
        ("status=FAILED&status=SERDE_ERROR".to_owned(), &aside),
        ("status=FAILED,SERDE_ERROR".to_owned(), &aside),
        ("waits=held".to_owned(), &ids(&[world.held])),
        ("waits=parked".to_owned(), &vec![]),
        ("message_id=M-2".to_owned(), &sent),
        ("aggregate=O-3".to_owned(), &ids(&[world.held, world.rejected])),
        ("aggregate=O-2&topic=orders&type=Order&source=shop".to_owned(), &sent),
        ("aggregate=O-2&topic=others".to_owned(), &vec![]),
        ("code=NO_CUSTOMER".to_owned(), &rejected),
        (format!("failure={customer}"), &rejected),
        ("message_id=M-2&since=2020-01-01T00:00:00Z".to_owned(), &sent),
        ("message_id=M-2&until=2020-01-01T00:00:00%2B02:00".to_owned(), &vec![]),
    ] {
        let answer = rig.get(Role::Viewer, &format!("/messages?{filter}")).await;
        let found: Vec<Value> = answer.rows().iter().map(|row| row["id"].clone()).collect();
        assert_eq!(&found, expected, "{filter}");
    }
    for (filter, expected) in [
        ("status=FAILED".to_owned(), vec!["bad"]),
        (format!("cause={}", world.sent.0), vec!["r2", "bad", "r1"]),
        ("destination=KAFKA:out&status=DISPATCHED".to_owned(), vec!["r2", "r1"]),
        ("record=r1&type=Told&aggregate=O-2".to_owned(), vec!["r1"]),
        (format!("failure={disliked}"), vec!["bad"]),
        ("code=NO_CUSTOMER".to_owned(), vec![]),
        ("waits=held".to_owned(), vec![]),
    ] {
        let answer = rig.get(Role::Viewer, &format!("/units?{filter}")).await;
        let found: Vec<&str> =
            answer.rows().iter().map(|row| row["record"].as_str().unwrap()).collect();
        assert_eq!(found, expected, "{filter}");
    }
    for (filter, expected) in [
        ("state=GOING", vec!["O-1", "O-2"]),
        ("state=NEW", vec![]),
        ("prefix=O-2", vec!["O-2"]),
        ("behind=O-1", vec!["O-2"]),
    ] {
        let answer = rig.get(Role::Viewer, &format!("/processes/RELAY/instances?{filter}")).await;
        let rows =
            answer.rows().iter().filter(|row| row["state"] != "NEW" || filter == "state=NEW");
        let found: Vec<&str> = rows.map(|row| row["id"].as_str().unwrap()).collect();
        assert_eq!(found, expected, "{filter}");
    }
}
