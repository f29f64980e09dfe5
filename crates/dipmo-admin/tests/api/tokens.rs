//! Tokens: made, shown once, run out, revoked.

use dipmo_admin::Role;
use hyper::Method;
use serde_json::json;

use crate::rig::Rig;

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_shown_once_and_good_until_it_is_revoked() {
    let rig = Rig::empty().await;
    let wish = json!({"name": "jane@shop", "role": "operator", "days": 30});
    let made = rig.post(Role::Admin, "/tokens", wish.clone()).await;
    let (token, id) = (made.is(201)["token"].as_str().unwrap(), &made.body["id"]);
    assert!(made.body["expires_at"].is_string());
    let me = rig.ask_with(Some(token), Method::GET, "/me", None).await;
    assert_eq!((&me.is(200)["name"], &me.body["role"]), (&"jane@shop".into(), &"operator".into()));
    assert_eq!(me.body["until"], made.body["expires_at"]);
    let listed = rig.get(Role::Admin, "/tokens").await;
    assert_eq!(listed.rows()[0]["name"], "jane@shop");
    assert!(!listed.text.contains(&token["dipmo_".len()..]) && !listed.text.contains("hash"));
    rig.post(Role::Admin, "/tokens", wish.clone()).await.is_problem(409, "admin-token-exists");
    let path = format!("/tokens/{id}");
    let silent = rig.ask(Role::Admin, Method::DELETE, &path, None).await;
    silent.is_problem(400, "admin-reason-missing");
    let path = format!("{path}?reason=left");
    assert_eq!(rig.ask(Role::Admin, Method::DELETE, &path, None).await.status, 204);
    let me = rig.ask_with(Some(token), Method::GET, "/me", None).await;
    me.is_problem(401, "admin-unauthorized");
    let again = rig.ask(Role::Admin, Method::DELETE, &path, None).await;
    again.is_problem(404, "admin-not-found");
    assert!(rig.get(Role::Admin, "/tokens").await.rows()[0]["revoked_at"].is_string());
    rig.post(Role::Admin, "/tokens", wish).await.is(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_ran_out_is_good_for_nothing() {
    let rig = Rig::empty().await;
    let token = rig.token("late", Role::Admin).await;
    rig.ask_with(Some(&token), Method::GET, "/me", None).await.is(200);
    rig.by_hand("UPDATE dipmo_token SET expires_at = created_at WHERE name = 'late'");
    let me = rig.ask_with(Some(&token), Method::GET, "/me", None).await;
    me.is_problem(401, "admin-unauthorized");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_that_nobody_knows_allows_nothing() {
    let rig = Rig::empty().await;
    let token = rig.token("newer", Role::Admin).await;
    rig.by_hand("UPDATE dipmo_token SET role = 'emperor' WHERE name = 'newer'");
    let me = rig.ask_with(Some(&token), Method::GET, "/me", None).await;
    me.is_problem(401, "admin-unauthorized");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wish_that_cannot_be_says_why() {
    let rig = Rig::empty().await;
    for (wish, parameter) in [
        (json!({"name": "", "role": "viewer", "days": 1}), "name"),
        (json!({"name": "a b", "role": "viewer", "days": 1}), "name"),
        (json!({"name": "x".repeat(101), "role": "viewer", "days": 1}), "name"),
        (json!({"name": "a", "role": "viewer", "days": 0}), "days"),
        (json!({"name": "a", "role": "viewer", "days": 3_651}), "days"),
    ] {
        let answer = rig.post(Role::Admin, "/tokens", wish).await;
        let problem = answer.is_problem(400, "admin-parameter-invalid");
        assert_eq!(problem["parameter"], parameter);
    }
    for (wish, part) in [
        (json!({"name": "a", "role": "viewer"}), "days"),
        (json!({"name": "a", "role": "emperor", "days": 1}), "viewer"),
        (json!({"name": "a", "role": "viewer", "days": 1, "colour": "red"}), "colour"),
    ] {
        let answer = rig.post(Role::Admin, "/tokens", wish).await;
        let problem = answer.is_problem(400, "admin-body-invalid");
        assert!(problem["detail"].as_str().unwrap().contains(part), "{}", answer.text);
    }
}
