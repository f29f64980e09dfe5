//! A parent and its children as one unit: all of it, or nothing.

use dipmo_domain::{Destination, Value};
use dipmo_outbox::{Published, Publisher as _, Readiness};
use dipmo_sink_salesforce::{ChildMapping, ChildSource, Origin};
use serde_json::{Value as Json, json};

use crate::support::{
    World, families, families_with_members, is_delivered, member, members_of, refused, unit,
};

fn family(members: &[(&str, &str)]) -> Json {
    let members: Vec<Json> =
        members.iter().map(|(id, name)| json!({ "id": id, "lastName": name })).collect();
    json!({ "name": "Lovelace", "version": 1, "members": members })
}

fn many(count: usize, family: usize) -> Json {
    let ids: Vec<String> = (0..count).map(|number| format!("M-{family}-{number}")).collect();
    let members: Vec<Json> = ids.iter().map(|id| json!({ "id": id, "lastName": "Ada" })).collect();
    json!({ "name": "Lovelace", "version": 1, "members": members })
}

#[tokio::test]
async fn children_point_to_the_parent_that_was_made_with_them() {
    for api in ["Graph", "Composite", "Auto"] {
        let world = World::new(vec![families_with_members()]).await;
        let to = format!("HTTP:SFDC:{api}:Family__c");
        let slice = [unit(&to, 1, "F-1", &family(&[("M-1", "Ada"), ("M-2", "Byron")]))];
        let answers = world.publish(&slice).await;
        assert!(is_delivered(&answers[0]), "{api}: {answers:?}");
        let id = world.entry("Family__c", "F-1").ids[0].clone();
        for member in ["M-1", "M-2"] {
            assert_eq!(world.record("Contact", member)["Family__c"], id, "{api}");
        }
        assert_eq!(world.writes().len(), 1, "{api}");
    }
}

#[tokio::test]
async fn a_refused_child_undoes_its_family_and_no_other() {
    for api in ["Graph", "Composite", "Auto"] {
        let world = World::new(vec![families_with_members()]).await;
        let to = format!("HTTP:SFDC:{api}:Family__c");
        let slice = [
            unit(&to, 1, "F-1", &family(&[("M-1", "Ada")])),
            unit(&to, 2, "F-2", &family(&[("M-2", "Byron"), ("M-3", "")])),
            unit(&to, 3, "F-3", &family(&[("M-4", "Babbage")])),
        ];
        let answers = world.publish(&slice).await;
        assert!(is_delivered(&answers[0]) && is_delivered(&answers[2]), "{api}: {answers:?}");
        let (code, message) = refused(&answers[1]);
        assert_eq!(code, "REQUIRED_FIELD_MISSING", "{api}");
        assert!(message.contains("a child was refused"), "{message}");
        let made: Vec<_> = world.ledger("Family__c").into_iter().map(|entry| entry.key).collect();
        assert_eq!(made, ["F-1", "F-3"], "{api}");
        assert_eq!(world.ledger("Contact").len(), 2, "{api}");
    }
}

#[tokio::test]
async fn innocent_families_are_sent_again_at_once_and_no_attempt_is_counted() {
    let world = World::new(vec![families_with_members()]).await;
    // After 15 that failed Salesforce does not look at the others.
    let slice: Vec<_> = (1..=40)
        .map(|number| {
            let name = if number <= 20 { "" } else { "Ada" };
            let family = family(&[(&format!("M-{number}"), name)]);
            unit("HTTP:SFDC:Graph:Family__c", number, &format!("F-{number}"), &family)
        })
        .collect();
    let answers = world.publish(&slice).await;
    let delivered = answers.iter().filter(|answer| is_delivered(answer)).count();
    let failed = answers.iter().filter(|answer| !is_delivered(answer));
    assert_eq!(delivered, 20, "{answers:?}");
    assert!(failed.into_iter().all(|answer| refused(answer).0 == "REQUIRED_FIELD_MISSING"));
}

#[tokio::test]
async fn families_share_calls_as_far_as_nodes_go() {
    let world = World::new(vec![families_with_members()]).await;
    // 124 nodes each: four fit into 500.
    let slice: Vec<_> = (1..=8)
        .map(|number| {
            let family = many(123, usize::try_from(number).unwrap());
            unit("HTTP:SFDC:Graph:Family__c", number, &format!("F-{number}"), &family)
        })
        .collect();
    assert!(world.publish(&slice).await.iter().all(is_delivered));
    assert_eq!(world.writes().len(), 2);
    assert_eq!(world.ledger("Contact").len(), 8 * 123);
}

#[tokio::test]
async fn a_family_beyond_a_graph_is_a_composite_of_collections() {
    let world = World::new(vec![families_with_members()]).await;
    let slice = [unit("HTTP:SFDC:Auto:Family__c", 1, "F-1", &many(900, 1))];
    let answers = world.publish(&slice).await;
    assert!(is_delivered(&answers[0]), "{answers:?}");
    let calls = world.writes();
    assert_eq!((calls.len(), calls[0].api), (1, "composite"));
    let id = world.entry("Family__c", "F-1").ids[0].clone();
    assert_eq!(world.ledger("Contact").len(), 900);
    assert_eq!(world.record("Contact", "M-1-899")["Family__c"], id);
}

#[tokio::test]
async fn a_family_that_no_call_takes_is_refused_before_it_is_sent() {
    let world = World::new(vec![families_with_members()]).await;
    for (api, members, limit) in [("Graph", 500, 500), ("Composite", 1_001, 1_001)] {
        let to = format!("HTTP:SFDC:{api}:Family__c");
        let slice = [
            unit(&to, 1, "F-1", &many(members, 1)),
            unit(&to, 2, "F-2", &family(&[("M-1", "Ada")])),
        ];
        let answers = world.publish(&slice).await;
        let (code, message) = refused(&answers[0]);
        assert_eq!(code, "salesforce-unit-too-large");
        let words = format!("{to}: \"F-1\" and its children are {} records", members + 1);
        assert!(message.starts_with(&words), "{message}");
        assert!(message.contains(&format!("takes {limit} at once")), "{message}");
        assert!(is_delivered(&answers[1]), "{api}");
    }
}

#[tokio::test]
async fn a_value_that_would_be_a_reference_is_refused_where_references_are_needed() {
    let world = World::new(vec![families_with_members()]).await;
    let slice = [unit("HTTP:SFDC:Graph:Family__c", 1, "F-1", &family(&[("M-1", "@{r0.id}")]))];
    let answers = world.publish(&slice).await;
    assert_eq!(refused(&answers[0]).0, "salesforce-value-unfit");
    assert!(world.writes().is_empty());
}

#[tokio::test]
async fn children_of_a_table_are_read_once_for_all_parents() {
    let source = ChildSource::Table { fact: members_of(), key: "ID" };
    let child = ChildMapping::new("Contact", "ExternalId__c", "Family__c", source)
        .field("LastName", Origin::Column("LAST_NAME"));
    let world = World::new(vec![families().child(child)]).await;
    for (id, family) in [("M-1", "F-1"), ("M-2", "F-1"), ("M-3", "F-2")] {
        let mut row = member(id, 1, "Ada");
        row.insert("FAMILY_ID", Value::from(family));
        world.tables.put("MEMBERS", row);
    }
    let slice: Vec<_> = (1..=3)
        .map(|number| {
            let payload = json!({ "name": "Lovelace" });
            unit("HTTP:SFDC:Graph:Family__c", number, &format!("F-{number}"), &payload)
        })
        .collect();
    let answers = world.publish(&slice).await;
    assert!(answers.iter().all(is_delivered), "{answers:?}");
    assert_eq!(world.tables.asked(), [3]);
    let id = world.entry("Family__c", "F-2").ids[0].clone();
    assert_eq!(world.record("Contact", "M-3")["Family__c"], id);
    assert_eq!(world.ledger("Contact").len(), 3);
}

#[tokio::test]
async fn an_api_that_cannot_write_all_or_nothing_takes_no_children() {
    let world = World::new(vec![families_with_members()]).await;
    for api in ["Rest", "Collections", "BulkV2"] {
        let to: Destination = format!("HTTP:SFDC:{api}:Family__c").parse().unwrap();
        // Jobs of before the mapping had children are looked for, until something else is found.
        let family = unit(&to.to_string(), 1, "F-1", &json!({ "name": "Lovelace" }));
        assert_eq!(world.publish(&[family]).await, [Published::NotTried], "{api}");
        let Readiness::Stopped { why } = world.publisher.readiness(&to) else { panic!("{api}") };
        assert_eq!(why.code(), "salesforce-children-unsupported");
        assert!(why.message().starts_with(&to.to_string()), "{why:?}");
        let begins = world.publisher.job_plan(&to).is_some_and(|plan| plan.least < u32::MAX);
        assert!(!begins, "{api}");
    }
    assert!(world.writes().is_empty());
}
