//! Too many wrong tokens.

use dipmo_admin::Role;
use hyper::Method;

use crate::rig::Rig;

#[tokio::test(flavor = "multi_thread")]
async fn whoever_tries_too_often_waits_and_nobody_who_is_known_does() {
    let rig = Rig::empty().await;
    let get = async |token: &str| rig.ask_with(Some(token), Method::GET, "/me", None).await;
    let known = get(rig.token_of(Role::Viewer)).await;
    known.is(200);
    assert_eq!(known.header("connection"), None);
    for n in 0..10 {
        let wrong = format!("dipmo_{n}{}", "x".repeat(42));
        get(&wrong).await.is_problem(401, "admin-unauthorized");
    }
    let refused = get(&format!("dipmo_{}", "x".repeat(43))).await;
    refused.is_problem(429, "admin-throttled");
    assert_eq!(refused.header("connection"), Some("close"));
    let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=7).contains(&seconds), "{seconds}");
    get("no token at all").await.is_problem(429, "admin-throttled");
    get(rig.token_of(Role::Viewer)).await.is(200);
    let unseen = get(rig.token_of(Role::Admin)).await;
    unseen.is_problem(429, "admin-throttled");
    let silent = rig.ask_with(None, Method::GET, "/me", None).await;
    silent.is_problem(401, "admin-unauthorized");
    assert_eq!(silent.header("connection"), Some("close"));
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_that_are_good_cost_nothing() {
    let rig = Rig::empty().await;
    for n in 0..15 {
        let token = rig.token(&format!("new-{n}"), Role::Viewer).await;
        rig.ask_with(Some(&token), Method::GET, "/me", None).await.is(200);
    }
    rig.by_hand("UPDATE dipmo_token SET revoked_at = 1 WHERE name = 'viewer'");
    let revoked = async || rig.get(Role::Viewer, "/me").await;
    for _ in 0..10 {
        revoked().await.is_problem(401, "admin-unauthorized");
    }
    revoked().await.is_problem(429, "admin-throttled");
}
