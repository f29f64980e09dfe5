//! Who comes in, and how far: for every route that there is.

use dipmo_admin::Role;
use hyper::Method;

use crate::issuer::Issuer;
use crate::rig::{Answer, Rig};
use crate::routes;

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_told_anything_without_a_good_token() {
    let issuer = Issuer::new();
    let rig = issuer.rig().await;
    let world = rig.live().await;
    let wrong = format!("dipmo_{}", "A".repeat(43));
    let (_, forged) = issuer.forged().swap_remove(0);
    let unknown = [(Method::GET, "/nothing"), (Method::PATCH, "/me"), (Method::GET, "/../../etc")];
    let mut requests: Vec<_> =
        unknown.into_iter().map(|(method, path)| (method, path.to_owned(), None)).collect();
    for route in routes::all(&rig).await {
        let sample = route.sample(&rig, &world).await;
        requests.push((route.method, sample.path, sample.body));
    }
    for (method, path, body) in requests {
        let answer = rig.ask_with(None, method.clone(), &path, body.clone()).await;
        answer.is_problem(401, "admin-unauthorized");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"dipmo\""));
        for wrong in [&wrong, &forged] {
            let answer = rig.ask_with(Some(wrong), method.clone(), &path, body.clone()).await;
            assert!([401, 429].contains(&answer.status), "{path}: {}", answer.text);
            assert!(answer.body.get("rows").is_none(), "{path}: {}", answer.text);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_needs_its_role_and_answers_who_has_it() {
    let (rig, world) = Rig::new().await;
    for route in routes::all(&rig).await {
        for role in Role::ALL {
            let sample = route.sample(&rig, &world).await;
            let answer = rig.ask(role, route.method.clone(), &sample.path, sample.body).await;
            if role < route.least {
                answer.is_problem(403, "admin-forbidden");
            } else {
                assert!((200..300).contains(&answer.status), "{route:?}: {}", answer.text);
            }
            rig.by_hand("UPDATE dipmo_token SET revoked_at = 1 WHERE name IN ('new', 'passing')");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_least_of_each_kind_of_route_is_what_it_should_be() {
    let rig = Rig::empty().await;
    for route in routes::all(&rig).await {
        let least = match route.path.as_str() {
            path if path.starts_with("/tokens") || path.ends_with("/erase") => Role::Admin,
            "/audit" => Role::Operator,
            _ if route.changes_something() => Role::Operator,
            _ => Role::Viewer,
        };
        assert_eq!(route.least, least, "{route:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_has_the_headers() {
    let rig = Rig::empty().await;
    for (token, path) in [
        (None, "/me"),
        (Some(rig.token_of(Role::Viewer)), "/me"),
        (Some(rig.token_of(Role::Viewer)), "/nothing"),
        (Some(rig.token_of(Role::Viewer)), "/events"),
    ] {
        let answer = rig.ask_with(token, Method::GET, path, None).await;
        for (name, value) in [
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path} {token:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_the_database_needs_no_token() {
    let rig = Rig::empty().await;
    let answer = Answer::to(&rig.local(Role::Operator), Method::GET, "/me", None, None).await;
    let me = answer.is(200);
    assert_eq!((&me["name"], &me["role"]), (&"console".into(), &"operator".into()));
    let answer = Answer::to(&rig.local(Role::Operator), Method::GET, "/tokens", None, None).await;
    answer.is_problem(403, "admin-forbidden");
}
