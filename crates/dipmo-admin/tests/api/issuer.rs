//! Somebody else says who people are: tokens of an issuer, good ones and forged ones.

use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use dipmo_admin::{AppOptions, Claim, KeySource, KeysError, Oidc, OidcOptions, Role};
use dipmo_domain::Timestamp;
use hyper::Method;
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING as ES256, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::rig::Rig;

const ISSUER: &str = "https://login.example.com";
const AUDIENCE: &str = "dipmo";
/// When all of this happens.
const NOW: i64 = 1_800_000_000;

/// Who has the keys.
pub(crate) struct Issuer {
    point: EcdsaKeyPair,
    edwards: Ed25519KeyPair,
}

/// What the issuer says of its keys; `None` says nothing.
struct Says(Option<Value>);

#[async_trait]
impl KeySource for Says {
    fn issuer(&self) -> &str {
        ISSUER
    }

    async fn keys(&self) -> Result<Vec<u8>, KeysError> {
        let away = || KeysError { issuer: ISSUER.to_owned(), problem: "it is away".to_owned() };
        self.0.as_ref().map(|keys| keys.to_string().into_bytes()).ok_or_else(away)
    }
}

fn now() -> Timestamp {
    Timestamp::from_micros(NOW * 1_000_000).unwrap()
}

fn part(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Issuer {
    pub(crate) fn new() -> Self {
        let random = SystemRandom::new();
        let point = EcdsaKeyPair::generate_pkcs8(&ES256, &random).unwrap();
        let edwards = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        Self {
            point: EcdsaKeyPair::from_pkcs8(&ES256, point.as_ref(), &random).unwrap(),
            edwards: Ed25519KeyPair::from_pkcs8(edwards.as_ref()).unwrap(),
        }
    }

    fn keys(&self) -> Value {
        let point = self.point.public_key().as_ref();
        let (x, y) = (part(&point[1..33]), part(&point[33..]));
        json!({"keys": [
            {"kty": "EC", "crv": "P-256", "kid": "point", "use": "sig", "alg": "ES256", "x": x, "y": y},
            {"kty": "OKP", "crv": "Ed25519", "kid": "edwards", "x": part(self.edwards.public_key())},
        ]})
    }

    /// An API to which this issuer says its keys.
    pub(crate) async fn rig(&self) -> Rig {
        rig(Some(self.keys())).await
    }

    /// A token with this header and these claims, signed as the header says.
    fn sign(&self, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", part(header.to_string()), part(claims.to_string()));
        let signature = match header["alg"].as_str() {
            Some("ES256") => {
                self.point.sign(&SystemRandom::new(), signed.as_bytes()).unwrap().as_ref().to_vec()
            }
            Some("EdDSA") => self.edwards.sign(signed.as_bytes()).as_ref().to_vec(),
            // With what everybody knows: the public key.
            Some("HS256") => {
                let secret = hmac::Key::new(hmac::HMAC_SHA256, self.point.public_key().as_ref());
                hmac::sign(&secret, signed.as_bytes()).as_ref().to_vec()
            }
            _ => Vec::new(),
        };
        format!("{signed}.{}", part(signature))
    }

    /// A token that is good, for somebody in these groups.
    fn good(&self, groups: &[&str]) -> String {
        self.sign(&header(), &claims(&json!({"groups": groups})))
    }

    /// Tokens that are not good, and why.
    pub(crate) fn forged(&self) -> Vec<(&'static str, String)> {
        let with = |changed: Value| self.sign(&header(), &claims(&changed));
        let headed = |header: Value| self.sign(&header, &claims(&json!({})));
        let good = self.good(&["root"]);
        let (signed, signature) = good.rsplit_once('.').unwrap();
        let (head, _) = signed.split_once('.').unwrap();
        let other = Self::new();
        let swapped = part(claims(&json!({"groups": ["root"], "sub": "admin"})).to_string());
        vec![
            ("no algorithm", headed(json!({"alg": "none", "kid": "point"}))),
            ("no algorithm, no signature", format!("{signed}.")),
            ("a secret that is the public key", headed(json!({"alg": "HS256", "kid": "point"}))),
            ("the key of another algorithm", headed(json!({"alg": "ES256", "kid": "edwards"}))),
            ("an algorithm of another key", headed(json!({"alg": "EdDSA", "kid": "point"}))),
            ("an algorithm that is not taken", headed(json!({"alg": "RS256", "kid": "point"}))),
            ("a key that is not known", headed(json!({"alg": "ES256", "kid": "other"}))),
            ("a key of somebody else", other.sign(&header(), &claims(&json!({})))),
            ("a key in the token itself", {
                let key = &other.keys()["keys"][0];
                let header = json!({"alg": "ES256", "jwk": key, "jku": "https://evil.example"});
                other.sign(&header, &claims(&json!({})))
            }),
            ("something critical", headed(json!({"alg": "ES256", "kid": "point", "crit": ["x"]}))),
            ("another type", headed(json!({"alg": "ES256", "kid": "point", "typ": "logout+jwt"}))),
            ("other claims", format!("{head}.{swapped}.{signature}")),
            ("another issuer", with(json!({"iss": "https://login.example.com.evil.example"}))),
            ("another audience", with(json!({"aud": "shop"}))),
            ("no audience", with(json!({"aud": null}))),
            ("run out", with(json!({"exp": NOW - 61}))),
            ("for ever", with(json!({"exp": null}))),
            ("not yet", with(json!({"nbf": NOW + 61}))),
            ("nobody", with(json!({"sub": null}))),
            ("cut off", good[..good.len() - 10].to_owned()),
            ("cut short", format!("{head}..")),
            ("empty parts", "..".to_owned()),
            ("garbage", format!("{}.{}.{}", part("{oo"), part("[]"), part("x"))),
            ("no base64", "ä.ö.ü".to_owned()),
            ("deep", format!("{}.{}.x", part("[".repeat(10_000)), part("{}"))),
            ("a megabyte", format!("{signed}.{}", "A".repeat(1 << 20))),
        ]
    }
}

fn header() -> Value {
    json!({"alg": "ES256", "kid": "point", "typ": "JWT"})
}

/// Good claims with these instead; null is left out.
fn claims(changed: &Value) -> Value {
    let mut claims = json!({
        "iss": ISSUER, "aud": AUDIENCE, "sub": "1234", "exp": NOW + 300, "iat": NOW,
        "email": "jane@example.com", "groups": ["root"],
    });
    for (name, value) in changed.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    claims
}

async fn rig(keys: Option<Value>) -> Rig {
    let roles = [("watchers", Role::Viewer), ("ops", Role::Operator), ("root", Role::Admin)];
    let options = OidcOptions {
        issuer: ISSUER.to_owned(),
        audience: AUDIENCE.to_owned(),
        clients: Vec::new(),
        role_claim: Claim::new("groups"),
        roles: roles.map(|(value, role)| (value.to_owned(), role)).to_vec(),
        name_claim: Some(Claim::new("email")),
    };
    let oidc = Oidc::new(options, Arc::new(Says(keys)), now);
    let running = Arc::clone(&oidc);
    tokio::spawn(async move { running.run(CancellationToken::new()).await });
    Rig::with(AppOptions { oidc: Some(oidc), ..AppOptions::default() }).await
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_with_a_token_of_the_issuer_has_the_role_that_it_gives() {
    let issuer = Issuer::new();
    let rig = issuer.rig().await;
    for (groups, role) in [
        (&["staff", "watchers"][..], "viewer"),
        (&["ops", "watchers"], "operator"),
        (&["root"], "admin"),
    ] {
        let answer = rig.ask_with(Some(&issuer.good(groups)), Method::GET, "/me", None).await;
        let me = answer.is(200);
        assert_eq!(me["role"], role);
        assert_eq!(me["name"], "jane@example.com (1234 at https://login.example.com)");
        assert_eq!(me["until"], "2027-01-15T08:05:00.000000Z");
    }
    let edwards = json!({"alg": "EdDSA", "kid": "edwards"});
    let edwards = issuer.sign(&edwards, &claims(&json!({})));
    rig.ask_with(Some(&edwards), Method::GET, "/me", None).await.is(200);
    let own = rig.token_of(Role::Viewer);
    rig.ask_with(Some(own), Method::GET, "/me", None).await.is(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_hold_for_them_and_the_audit_names_them() {
    let issuer = Issuer::new();
    let rig = issuer.rig().await;
    let wish = json!({"name": "new", "role": "viewer", "days": 1});
    let viewer = issuer.good(&["watchers"]);
    let answer = rig.ask_with(Some(&viewer), Method::POST, "/tokens", Some(wish.clone())).await;
    answer.is_problem(403, "admin-forbidden");
    let nobody = issuer.good(&["staff"]);
    let answer = rig.ask_with(Some(&nobody), Method::GET, "/me", None).await;
    answer.is_problem(403, "admin-role-missing");
    assert!(!answer.text.contains("staff") && !answer.text.contains("groups"), "{}", answer.text);
    let admin = issuer.good(&["root"]);
    rig.ask_with(Some(&admin), Method::POST, "/tokens", Some(wish)).await.is(201);
    let audit = rig.get(Role::Admin, "/audit?action=token.make").await;
    let entry = &audit.rows()[0];
    assert_eq!(entry["actor"], "jane@example.com (1234 at https://login.example.com)");
    assert_eq!(entry["role"], "admin");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_forged_token_is_good() {
    let issuer = Issuer::new();
    for (why, token) in issuer.forged() {
        // Each alone: ten of them would have the eleventh wait.
        let rig = issuer.rig().await;
        let answer = rig.ask_with(Some(&token), Method::GET, "/me", None).await;
        assert_eq!((answer.status, answer.code()), (401, "admin-unauthorized"), "{why}");
        assert!(!answer.text.contains(&token[..token.len().min(20)]), "{why}: {}", answer.text);
        rig.ask_with(Some(&issuer.good(&["root"])), Method::GET, "/me", None).await.is(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_tokens_are_throttled_as_others_are() {
    let issuer = Issuer::new();
    let rig = issuer.rig().await;
    let get = async |token: &str| rig.ask_with(Some(token), Method::GET, "/me", None).await;
    let good = issuer.good(&["root"]);
    get(&good).await.is(200);
    for n in 0..10 {
        let late = claims(&json!({"exp": NOW - 100 - n}));
        get(&issuer.sign(&header(), &late)).await.is_problem(401, "admin-unauthorized");
    }
    let late = issuer.sign(&header(), &claims(&json!({"exp": NOW - 99})));
    get(&late).await.is_problem(429, "admin-throttled");
    get(&good).await.is(200);
    let unseen = issuer.good(&["ops"]);
    get(&unseen).await.is_problem(429, "admin-throttled");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_keys_nobody_can_tell_and_tokens_are_good_as_ever() {
    let issuer = Issuer::new();
    let rig = rig(None).await;
    for _ in 0..15 {
        let answer = rig.ask_with(Some(&issuer.good(&["root"])), Method::GET, "/me", None).await;
        answer.is_problem(503, "admin-issuer-unreachable");
        assert!(!answer.text.contains("example.com"), "{}", answer.text);
        assert!(answer.header("retry-after").is_some());
    }
    rig.get(Role::Viewer, "/me").await.is(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_there_is_no_issuer_a_token_of_one_is_not_good() {
    let (issuer, rig) = (Issuer::new(), Rig::empty().await);
    let answer = rig.ask_with(Some(&issuer.good(&["root"])), Method::GET, "/me", None).await;
    answer.is_problem(401, "admin-unauthorized");
}
