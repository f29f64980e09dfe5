//! Tokens: who may come in, and until when.

use dipmo_domain::{StoreError, Timestamp};
use dipmo_store::admin::{NewToken, Operable, TokenHash, TokenId, TokenRow};

use super::audit::{entry, trail};
use crate::OperableFixture;
use crate::support::LONG;

/// The hash of a token that has a number.
const fn hash(number: u8) -> TokenHash {
    TokenHash([number; 32])
}

fn token(name: &str, number: u8) -> NewToken {
    NewToken {
        name: name.to_owned(),
        role: "operator".to_owned(),
        hash: hash(number),
        expires_at: None,
    }
}

async fn add(store: &dyn Operable, token: &NewToken) -> Result<TokenId, StoreError> {
    store.add_token(token, &entry("root", "token.add", &token.name)).await
}

async fn revoke(store: &dyn Operable, id: TokenId) -> bool {
    store.revoke_token(id, &entry("root", "token.revoke", "somebody")).await.unwrap()
}

/// What was done to tokens, the oldest first.
async fn actions(store: &dyn Operable) -> Vec<String> {
    trail(store).await.into_iter().rev().map(|row| row.entry.action).collect()
}

/// A token is found by its hash and by no other, also by another instance.
pub async fn a_token_is_found_by_its_hash<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let before = store.now().await.unwrap();
    let expires_at = Some(before.after(LONG));
    let id = add(&*store, &NewToken { expires_at, ..token("ann", 1) }).await.unwrap();
    let row = fixture.another_operable().await.token(&hash(1)).await.unwrap().unwrap();
    let created_at = row.created_at;
    assert!((before..=store.now().await.unwrap()).contains(&created_at));
    let (name, role) = ("ann".to_owned(), "operator".to_owned());
    assert_eq!(row, TokenRow { id, name, role, created_at, expires_at, revoked_at: None });
    assert_eq!(store.token(&hash(2)).await, Ok(None));
    assert_eq!(store.tokens().await, Ok(vec![row]));
}

/// A name is given to one token at a time, and again after that was revoked.
pub async fn a_name_is_given_once<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let first = add(&*store, &token("ann", 1)).await.unwrap();
    let refused = add(&*store, &token("ann", 2)).await.unwrap_err();
    assert!(matches!(refused, StoreError::RowRefused { .. }), "{refused:?}");
    assert_eq!(store.token(&hash(2)).await, Ok(None));
    assert!(revoke(&*store, first).await);
    let second = add(&*store, &token("ann", 2)).await.unwrap();
    assert_ne!(first, second);
    assert_eq!(store.token(&hash(2)).await.unwrap().unwrap().id, second);
    assert_eq!(actions(&*store).await, ["token.add", "token.revoke", "token.add"]);
}

/// A hash is known for ever: what was revoked does not come back under another name.
pub async fn a_hash_is_given_once<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let first = add(&*store, &token("ann", 1)).await.unwrap();
    for _ in 0..2 {
        let refused = add(&*store, &token("bob", 1)).await.unwrap_err();
        assert!(matches!(refused, StoreError::RowRefused { .. }), "{refused:?}");
        revoke(&*store, first).await;
    }
    assert_eq!(store.tokens().await.unwrap().len(), 1);
    assert_eq!(actions(&*store).await, ["token.add", "token.revoke"]);
}

/// What is revoked is not found any more, and is revoked once.
pub async fn a_revoked_token_is_not_found<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let id = add(&*store, &token("ann", 1)).await.unwrap();
    add(&*store, &token("bob", 2)).await.unwrap();
    let before = store.now().await.unwrap();
    assert!(revoke(&*store, id).await);
    assert_eq!(store.token(&hash(1)).await, Ok(None));
    assert!(store.token(&hash(2)).await.unwrap().is_some(), "another one is as it was");
    let revoked_at = |row: &TokenRow| row.revoked_at;
    let shown: Vec<_> = store.tokens().await.unwrap().iter().map(revoked_at).collect();
    assert!(shown[0].is_none() && shown[1].is_some_and(|at| at >= before), "{shown:?}");
    fixture.tick().await;
    assert!(!revoke(&*store, id).await);
    assert!(!revoke(&*store, TokenId(4_711)).await);
    let again: Vec<_> = store.tokens().await.unwrap().iter().map(revoked_at).collect();
    assert_eq!(again, shown);
    assert_eq!(actions(&*store).await, ["token.add", "token.add", "token.revoke"]);
}

/// A token is good until its time, by the database's clock; it is listed all the same.
pub async fn a_token_has_an_end<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let now = store.now().await.unwrap();
    let until = |expires_at: Timestamp, name: &str, number| NewToken {
        expires_at: Some(expires_at),
        ..token(name, number)
    };
    add(&*store, &until(now, "ended", 1)).await.unwrap();
    add(&*store, &until(now.after(LONG), "good", 2)).await.unwrap();
    assert_eq!(store.token(&hash(1)).await, Ok(None));
    assert_eq!(store.token(&hash(2)).await.unwrap().unwrap().name, "good");
    assert_eq!(store.tokens().await.unwrap().len(), 2);
    let refused = add(&*store, &token("ended", 3)).await;
    assert!(refused.is_err(), "it is to be revoked before its name is free");
}

/// Tokens are listed the newest first, also those that are revoked.
pub async fn the_newest_first<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    assert_eq!(store.tokens().await, Ok(vec![]));
    for (number, name) in (1..).zip(["ann", "bob", "cid"]) {
        add(&*store, &token(name, number)).await.unwrap();
    }
    let names = store.tokens().await.unwrap().into_iter().map(|row| row.name);
    assert_eq!(names.collect::<Vec<_>>(), ["cid", "bob", "ann"]);
}

/// Two who ask for one name at once: one gets it.
pub async fn one_name_at_once<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let (one, two) = (token("ann", 1), token("ann", 2));
    let (one, two) = tokio::join!(add(&*store, &one), add(&*another, &two));
    assert!(one.is_ok() != two.is_ok(), "{one:?} and {two:?}");
    assert_eq!(store.tokens().await.unwrap().len(), 1);
    assert_eq!(actions(&*store).await, ["token.add"]);
}

/// An entry that cannot be kept takes its change with it.
pub async fn no_change_without_its_entry<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let id = add(&*store, &token("ann", 1)).await.unwrap();
    let long = entry("root", "token.add", &"x".repeat(401));
    assert!(store.add_token(&token("bob", 2), &long).await.is_err());
    assert!(store.revoke_token(id, &long).await.is_err());
    let names = store.tokens().await.unwrap().into_iter().map(|row| row.name);
    assert_eq!(names.collect::<Vec<_>>(), ["ann"]);
    assert!(store.token(&hash(1)).await.unwrap().is_some());
}

/// A hash is in no print and no error.
pub async fn a_hash_is_not_shown<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    add(&*store, &token("ann", 171)).await.unwrap();
    let refused = add(&*store, &token("bob", 171)).await.unwrap_err();
    let row = store.token(&hash(171)).await.unwrap();
    for print in
        [format!("{:?}", token("ann", 171)), format!("{row:?}"), format!("{refused:?} {refused}")]
    {
        for form in ["171, 171", "abab", "ABAB", "q6ur"] {
            assert!(!print.contains(form), "{print}");
        }
    }
}
