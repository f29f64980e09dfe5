//! People whom an issuer knows, which others wrote: its tokens, its new keys, and its absence.

use std::time::{Duration, Instant};

use crate::issuer::Issuer;
use crate::program::{Folder, dipmo, said};
use crate::server::Server;
use crate::shop::{PATIENCE, Shop};

/// Writes a token into a file of the shop, as somebody would who types.
fn file<'a>(shop: &Shop, name: &'a str, token: &str) -> &'a str {
    shop.0.write(name, token);
    name
}

/// Asks with a token until it is good. Seldom: who is wrong too often is told to wait.
fn until_good(server: &Server<'_>, token_file: &str) {
    let began = Instant::now();
    loop {
        let asked = server.types(token_file, &["inbox", "list"]);
        if asked.status.code() == Some(0) {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{}", said(&asked));
        std::thread::sleep(Duration::from_secs(2));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn they_come_in_with_tokens_of_any_good_algorithm_and_do_what_their_role_allows() {
    let (shop, issuer) = (Shop::open("operate-issuer").await, Issuer::start());
    let server = Server::behind(&shop, &issuer.door());
    for algorithm in ["RS256", "PS256", "ES256", "EdDSA"] {
        let eve = file(&shop, "eve.jwt", &issuer.token("eve", "dipmo", algorithm).await);
        let listed = server.says(0, eve, &["inbox", "list", "--output", "json"]);
        assert!(listed.contains("\"rows\""), "{algorithm}: {listed}");
    }
    let skip = ["inbox", "skip", "3", "--reason", "INC-17", "--yes"];
    assert!(server.says(2, "eve.jwt", &skip).starts_with("error[admin-forbidden]: "));
    let ann = file(&shop, "ann.jwt", &issuer.token("ann", "dipmo", "RS256").await);
    server.says(0, ann, &skip);
    let audit = shop.json(&["audit", "list", "--action", "operation.begin"]);
    let actor = format!("ann@example.com (ann at {})", issuer.url);
    assert_eq!(audit["rows"][0]["actor"], actor, "{audit}");
    assert_eq!(audit["rows"][0]["role"], "operator");
    let make = ["token", "make", "new", "--role", "viewer", "--days", "1"];
    assert!(server.says(2, ann, &make).starts_with("error[admin-forbidden]: "));
    let root = file(&shop, "root.jwt", &issuer.token("root", "dipmo", "ES256").await);
    server.says(0, root, &make);
    let bob = file(&shop, "bob.jwt", &issuer.token("bob", "dipmo", "RS256").await);
    assert!(server.says(2, bob, &["inbox", "list"]).starts_with("error[admin-role-missing]: "));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_meant_for_dipmo_or_was_tampered_with_is_refused() {
    let (shop, issuer) = (Shop::open("operate-tampered").await, Issuer::start());
    let server = Server::behind(&shop, &issuer.door());
    let good = issuer.token("root", "dipmo", "RS256").await;
    let (signed, signature) = good.rsplit_once('.').unwrap();
    let (_, claims) = signed.split_once('.').unwrap();
    let eve = issuer.token("eve", "dipmo", "RS256").await;
    let (other, _) = eve.rsplit_once('.').unwrap();
    // {"alg":"none"}
    let unsigned = format!("eyJhbGciOiJub25lIn0.{claims}.");
    for (why, token) in [
        ("another audience", issuer.token("root", "shop", "RS256").await),
        ("an older algorithm with a longer hash", issuer.token("root", "dipmo", "RS512").await),
        ("no algorithm", unsigned),
        ("the claims of somebody else", format!("{other}.{signature}")),
        ("cut off", good[..good.len() - 4].to_owned()),
    ] {
        let refused = server.says(2, file(&shop, "bad.jwt", &token), &["inbox", "list"]);
        assert!(refused.starts_with("error[admin-unauthorized]: "), "{why}: {refused}");
        assert!(!refused.contains(&token[..30]), "{why}: {refused}");
    }
    server.says(0, file(&shop, "good.jwt", &good), &["inbox", "list"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn new_keys_are_learnt_and_old_ones_are_good_no_more() {
    let (shop, mut issuer) = (Shop::open("operate-rotated").await, Issuer::start());
    let server = Server::behind(&shop, &issuer.door());
    let old = file(&shop, "old.jwt", &issuer.token("eve", "dipmo", "RS256").await);
    server.says(0, old, &["inbox", "list"]);
    issuer.does("rotate");
    let new = file(&shop, "new.jwt", &issuer.token("eve", "dipmo", "RS256").await);
    until_good(&server, new);
    let refused = server.says(2, old, &["inbox", "list"]);
    assert!(refused.starts_with("error[admin-unauthorized]: "), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_issuer_dipmo_starts_and_its_own_tokens_are_good() {
    let (shop, mut issuer) = (Shop::open("operate-issuer-away").await, Issuer::start());
    let eve = file(&shop, "eve.jwt", &issuer.token("eve", "dipmo", "RS256").await);
    issuer.does("leave");
    let server = Server::behind(&shop, &issuer.door());
    let own = server.token("viewer");
    server.says(0, &own, &["inbox", "list"]);
    let refused = server.says(2, eve, &["inbox", "list"]);
    assert!(refused.contains("admin-issuer-unreachable"), "{refused}");
    issuer.does("return");
    until_good(&server, eve);
    issuer.does("leave");
    server.says(0, eve, &["inbox", "list"]);
}

#[test]
fn check_asks_the_issuer() {
    let (folder, mut issuer) = (Folder::new("operate-issuer-asked"), Issuer::start());
    let text = format!("dipmo: 1\nstore: {{sqlite: ./dipmo.db}}\n{}", issuer.door());
    folder.write("dipmo.yaml", &text);
    let check = || said(&dipmo(&folder.0, &["check", "--connect"]));
    let told = check();
    assert!(told.contains("issuer of tokens") && told.contains("3 can be used"), "{told}");
    issuer.does("leave");
    let told = check();
    assert!(told.contains("admin-issuer-unreachable"), "{told}");
    assert!(told.contains("can it be reached from here?"), "{told}");
}
