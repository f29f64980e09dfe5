//! What nobody sees who may not, and how it is revealed.

use dipmo_admin::{AppOptions, Role, Shown};
use hyper::Method;

use crate::rig::{Answer, CANARY, CANARY_BASE64, Rig};
use crate::routes;

fn assert_masked(what: &str, answer: &Answer) {
    assert!(!answer.text.contains(CANARY), "{what}: {}", answer.text);
    assert!(!answer.text.contains(CANARY_BASE64), "{what}: {}", answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_route_shows_anybody_what_is_masked() {
    let (rig, world) = Rig::new().await;
    let mut paths: Vec<String> = [world.told, world.sent, world.rejected, world.held, world.poison]
        .into_iter()
        .flat_map(|id| [format!("/messages/{}", id.0), format!("/messages/{}/journey", id.0)])
        .collect();
    for route in routes::all(&rig).await.into_iter().filter(|route| !route.changes_something()) {
        paths.push(route.sample(&rig, &world).await.path);
    }
    for path in paths {
        for role in Role::ALL {
            let answer = rig.get(role, &path).await;
            assert_masked(&path, &answer);
            assert!([200, 403].contains(&answer.status), "{path}: {}", answer.text);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_reveals_with_a_reason_that_the_audit_keeps() {
    let (rig, world) = Rig::new().await;
    let unit = rig.get(Role::Viewer, "/units?status=FAILED").await.rows()[0].clone();
    for (path, target, times) in [
        (format!("/messages/{}", world.rejected.0), format!("inbox/{}", world.rejected.0), 4),
        (format!("/messages/{}", world.poison.0), format!("inbox/{}", world.poison.0), 0),
        (format!("/intents/{}", unit["id"]), format!("outbox/{}", unit["intent"]), 1),
        ("/processes/RELAY/instances/O-1".to_owned(), "process/RELAY/O-1".to_owned(), 1),
    ] {
        let revealing = format!("{path}?reveal=true&reason=ticket%207");
        rig.get(Role::Viewer, &revealing).await.is_problem(403, "admin-forbidden");
        let silent = rig.get(Role::Operator, &format!("{path}?reveal=true")).await;
        silent.is_problem(400, "admin-reason-missing");
        let hasty = rig.get(Role::Operator, &format!("{path}?reveal=true&reason=%20")).await;
        hasty.is_problem(400, "admin-reason-missing");
        let audit = format!("/audit?action=reveal&target={target}");
        assert!(rig.get(Role::Operator, &audit).await.rows().is_empty(), "{path}");
        let answer = rig.get(Role::Operator, &revealing).await;
        assert_eq!(answer.is(200)["revealed"], true);
        assert_eq!(answer.text.matches(CANARY).count(), times, "{}", answer.text);
        if times == 0 {
            assert!(answer.text.contains(CANARY_BASE64), "{}", answer.text);
        }
        let audited = rig.get(Role::Operator, &audit).await;
        let [entry] = audited.rows() else { panic!("{}", audited.text) };
        assert_eq!((&entry["actor"], &entry["reason"]), (&"operator".into(), &"ticket 7".into()));
        assert_masked("the audit", &audited);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_audited_is_not_revealed() {
    let (rig, world) = Rig::new().await;
    rig.by_hand(
        "CREATE TRIGGER full BEFORE INSERT ON dipmo_audit BEGIN SELECT raise(ABORT, 'no'); END",
    );
    let path = format!("/messages/{}?reveal=true&reason=why", world.rejected.0);
    let answer = rig.get(Role::Admin, &path).await;
    assert!(answer.status >= 500, "{}", answer.text);
    assert_masked(&path, &answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_show_what_they_name_and_nothing_else() {
    let shown = Shown::new(["/secret", "/tell/*"], ["TRACE"], true).unwrap();
    let rig = Rig::with(AppOptions { shown, ..AppOptions::default() }).await;
    let world = rig.live().await;
    let answer = rig.get(Role::Viewer, &format!("/messages/{}", world.told.0)).await;
    let message = answer.is(200);
    assert_eq!(message["revealed"], false);
    assert_eq!(message["payload"]["secret"], CANARY);
    assert_eq!(message["payload"]["tell"][0], "INTERNAL:relay");
    assert_eq!(message["payload"]["hops"], "•••");
    assert_eq!(
        (&message["headers"][0]["value"], &message["key"]),
        (&CANARY.into(), &CANARY.into())
    );
    let rejected = rig.get(Role::Viewer, &format!("/messages/{}", world.rejected.0)).await;
    let failure = &rejected.is(200)["failure"];
    assert_eq!(failure["message"], "there is no customer \"…\"", "no rule shows what failures say");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_over_what_is_masked_is_not_for_viewers() {
    let (rig, world) = Rig::new().await;
    for path in ["/messages", "/units"] {
        let path = format!("{path}?text={CANARY}");
        rig.get(Role::Viewer, &path).await.is_problem(403, "admin-forbidden");
        let found = rig.get(Role::Operator, &path).await;
        assert!(!found.rows().is_empty(), "{path}");
        assert_masked(&path, &found);
    }
    let path = format!("/messages?text={CANARY}&status=FAILED");
    let found = rig.ask(Role::Operator, Method::GET, &path, None).await;
    assert_eq!(found.rows()[0]["id"], world.rejected.0);
}
