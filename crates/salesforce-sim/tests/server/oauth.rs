//! Logging in.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};

use crate::client::{Ask, Reply, Test};
use crate::jwt::{APP, OTHER, signed, signed_as};

const CREDENTIALS: &str = "grant_type=client_credentials&client_id=app&client_secret=s3cret";

#[expect(clippy::disallowed_methods, reason = "an assertion says when it ends")]
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

async fn works(test: &Test, token: &str) -> bool {
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    let path = "/services/data/v62.0/limits";
    let ask = Ask { method: "GET", path, headers: &headers, ..Ask::default() };
    test.send(&ask).await.unwrap().status == 200
}

fn token(reply: &Reply) -> String {
    reply.json()["access_token"].as_str().unwrap_or_else(|| panic!("{}", reply.text())).to_owned()
}

#[tokio::test]
async fn a_host_for_everybody_knows_no_client_credentials() {
    let test = Test::start("").await;
    let form = "grant_type=client_credentials&client_id=app&client_secret=s3cret";
    for (host, status) in [
        ("login.salesforce.com", 400),
        ("Test.salesforce.com", 400),
        ("login.localhost:8080", 400),
        ("acme.my.salesforce.com", 200),
        ("logins.my.salesforce.com", 200),
    ] {
        let reply = test.form("/services/oauth2/token", form, &[("host", host)]).await;
        assert_eq!(reply.status, status, "{host}");
        if status == 400 {
            let expected = json!({
                "error": "invalid_grant",
                "error_description": "request not supported on this domain",
            });
            assert_eq!(reply.json(), expected);
        }
    }
    let refresh = "grant_type=refresh_token&client_id=app&refresh_token=refresh-1";
    let host = [("host", "login.salesforce.com")];
    let reply = test.form("/services/oauth2/token", refresh, &host).await.json();
    assert_eq!(reply["instance_url"], test.simulator.url(), "it is sent to its org");
}

#[tokio::test]
async fn the_answer_has_the_fields_of_salesforce_and_no_other() {
    let test = Test::start("").await;
    let reply = test.login(CREDENTIALS).await;
    let json = reply.json();
    let mut fields: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        ["access_token", "id", "instance_url", "issued_at", "scope", "signature", "token_type"]
    );
    assert_eq!(json["instance_url"], test.simulator.url());
    assert_eq!(json["token_type"], "Bearer");
    assert!(json["issued_at"].as_str().unwrap().parse::<u64>().unwrap() > 1_700_000_000_000);
    let id = json["id"].as_str().unwrap();
    let parts: Vec<&str> = id.strip_prefix(test.simulator.url()).unwrap().split('/').collect();
    assert!(
        matches!(parts[..], ["", "id", org, user] if org.len() == 18 && user.starts_with("005"))
    );
    let (org, secret) = json["access_token"].as_str().unwrap().split_once('!').unwrap();
    assert!(org.starts_with("00D") && (15..=18).contains(&org.len()), "{org}");
    assert!(secret.chars().all(|char| char.is_ascii_alphanumeric() || "._".contains(char)));
    assert!(works(&test, &token(&reply)).await);
}

#[tokio::test]
async fn client_credentials_come_in_the_header_too() {
    let test = Test::start("").await;
    for (credentials, status) in [("app:s3cret", 200), ("app:wrong", 400), ("nobody", 400)] {
        let basic = format!("Basic {}", STANDARD.encode(credentials));
        let headers = [("authorization", basic.as_str())];
        let form = "grant_type=client_credentials";
        let reply = test.form("/services/oauth2/token", form, &headers).await;
        assert_eq!(reply.status, status, "{credentials}");
    }
}

#[tokio::test]
async fn a_login_is_refused_in_the_words_of_salesforce() {
    let test = Test::start("").await;
    for (form, error, description) in [
        ("", "unsupported_grant_type", "grant type not supported"),
        (
            "grant_type=password&username=a&password=b",
            "unsupported_grant_type",
            "grant type not supported",
        ),
        ("grant_type=client_credentials", "invalid_client_id", "client identifier invalid"),
        (
            "grant_type=client_credentials&client_id=app",
            "invalid_client",
            "invalid client credentials",
        ),
        (
            "grant_type=client_credentials&client_id=app&client_secret=x",
            "invalid_client",
            "invalid client credentials",
        ),
        (
            "grant_type=client_credentials&client_id=bare",
            "invalid_client",
            "invalid client credentials",
        ),
        (
            "grant_type=client_credentials&client_id=nobody&client_secret=s3cret",
            "invalid_grant",
            "no client credentials user enabled",
        ),
        (
            "grant_type=refresh_token&client_id=app&refresh_token=x",
            "invalid_grant",
            "expired access/refresh token",
        ),
        (
            "grant_type=refresh_token&client_id=app&client_secret=x&refresh_token=refresh-1",
            "invalid_client",
            "invalid client credentials",
        ),
        (
            "grant_type=refresh_token&client_id=x&refresh_token=refresh-1",
            "invalid_client_id",
            "client identifier invalid",
        ),
        (
            "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer",
            "invalid_grant",
            "invalid assertion",
        ),
        (
            "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=a.b.c",
            "invalid_grant",
            "invalid assertion",
        ),
    ] {
        let reply = test.login(form).await;
        let expected = json!({ "error": error, "error_description": description });
        assert_eq!((reply.status, reply.json()), (400, expected), "{form}");
    }
    let get = Ask { method: "GET", path: "/services/oauth2/token", ..Ask::default() };
    assert_eq!(test.send(&get).await.unwrap().json()["error_description"], "must use HTTP POST");
}

#[tokio::test]
async fn an_assertion_is_checked() {
    let test = Test::start("").await;
    let soon = now() + 180;
    let claims = |more: Json| {
        let mut claims = json!({
            "iss": "app", "sub": "integration@example.com",
            "aud": "https://login.salesforce.com", "exp": soon,
        });
        for (name, value) in more.as_object().unwrap() {
            claims[name] = value.clone();
        }
        claims
    };
    let good = signed(&claims(json!({})), APP);
    let (head, rest) = good.split_once('.').unwrap();
    let (_, signature) = rest.split_once('.').unwrap();
    let stolen = signed(&claims(json!({ "sub": "other@example.com" })), APP);
    let (_, stolen) = stolen.split_once('.').unwrap();
    let (stolen, _) = stolen.split_once('.').unwrap();
    let tampered = format!("{head}.{stolen}.{signature}");
    for (assertion, expected) in [
        (good, ""),
        (signed(&claims(json!({ "exp": soon.to_string() })), APP), ""),
        (signed(&claims(json!({ "exp": soon * 1000 })), APP), ""),
        (signed(&claims(json!({ "aud": test.simulator.url() })), APP), ""),
        (signed(&claims(json!({ "aud": "https://test.salesforce.com/" })), APP), ""),
        (signed(&claims(json!({ "iss": "bare" })), OTHER), ""),
        (signed(&claims(json!({ "exp": now() - 1 })), APP), "expired authorization code"),
        (signed(&claims(json!({ "exp": "soon" })), APP), "invalid assertion"),
        (signed(&claims(json!({ "aud": "https://example.com" })), APP), "audience is invalid"),
        (
            signed(&claims(json!({ "sub": "no@example.com" })), APP),
            "user hasn't approved this consumer",
        ),
        (signed(&claims(json!({ "iss": "no" })), APP), "client identifier invalid"),
        (signed(&claims(json!({ "iss": "nobody" })), APP), "invalid assertion"),
        (signed(&claims(json!({})), OTHER), "invalid assertion"),
        (signed_as(&json!({ "alg": "none" }), &claims(json!({})), APP), "invalid assertion"),
        (tampered, "invalid assertion"),
    ] {
        let form = format!(
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion={assertion}"
        );
        let reply = test.login(&form).await;
        let said = reply.json();
        assert_eq!(said["error_description"].as_str().unwrap_or(""), expected, "{assertion}");
        assert_eq!(reply.status == 200, expected.is_empty());
    }
}

#[tokio::test]
async fn a_session_is_refreshed_revoked_and_ends() {
    let test = Test::start("limits: { session: 2h }\n").await;
    let refresh = "grant_type=refresh_token&client_id=app&refresh_token=refresh-1";
    let reply = test.login(refresh).await;
    assert!(works(&test, &token(&reply)).await);
    assert_eq!(reply.json().get("refresh_token"), None);

    let revoke = |token: String| async move { format!("token={token}") };
    let form = revoke(token(&reply)).await;
    assert_eq!(test.form("/services/oauth2/revoke", &form, &[]).await.status, 200);
    assert!(!works(&test, &token(&reply)).await);
    assert_eq!(test.form("/services/oauth2/revoke", &form, &[]).await.status, 400);

    assert_eq!(test.form("/services/oauth2/revoke", "token=refresh-1", &[]).await.status, 200);
    assert_eq!(
        test.login(refresh).await.json()["error_description"],
        "expired access/refresh token"
    );

    test.sim("POST", "/clock", json!({ "advance": "119m" })).await;
    assert!(works(&test, &test.token).await, "a use makes it live on");
    test.sim("POST", "/clock", json!({ "advance": "119m" })).await;
    assert!(works(&test, &test.token).await);
    test.sim("POST", "/clock", json!({ "advance": "2h" })).await;
    let refusal = test.call("GET", "/limits", Json::Null).await.refusal();
    let expected = (401, "INVALID_SESSION_ID".to_owned(), "Session expired or invalid".to_owned());
    assert_eq!(refusal, expected);
    assert!(works(&test, "00D000000000001!fixed.token").await);
}

#[tokio::test]
async fn the_owner_of_a_token_is_told() {
    let test = Test::start("").await;
    let id = test.login(CREDENTIALS).await.json()["id"].as_str().unwrap().to_owned();
    let path = id.strip_prefix(test.simulator.url()).unwrap();
    let bearer = format!("Bearer {}", test.token);
    let headers = [("authorization", bearer.as_str())];
    let get = async |path: &str, headers| {
        test.send(&Ask { method: "GET", path, headers, ..Ask::default() }).await.unwrap()
    };
    let userinfo = get("/services/oauth2/userinfo", &headers).await.json();
    assert_eq!(userinfo["preferred_username"], "integration@example.com");
    assert_eq!(userinfo["name"], "Inte Gration");
    let identity = get(path, &headers).await.json();
    assert_eq!(identity["username"], "integration@example.com");
    assert_eq!((&identity["id"], &identity["user_id"]), (&json!(id), &userinfo["user_id"]));
    let by_query = format!("{path}?format=json&oauth_token={}", test.token);
    assert_eq!(get(&by_query, &[]).await.json(), identity);
    for (path, headers, expected) in [
        ("/services/oauth2/userinfo", &[][..], "Missing_OAuth_Token"),
        ("/services/oauth2/userinfo", &[("authorization", "Bearer x")], "Bad_OAuth_Token"),
        ("/id/00D000000000009AAA/005000000000001AAA", &headers, "Wrong_Org"),
    ] {
        let reply = get(path, headers).await;
        assert_eq!((reply.status, reply.text().as_str()), (403, expected), "{path}");
    }
    let form = format!("client_id=app&client_secret=s3cret&token={}", test.token);
    let told = test.form("/services/oauth2/introspect", &form, &[]).await.json();
    assert_eq!(
        (&told["active"], &told["username"]),
        (&json!(true), &json!("integration@example.com"))
    );
}
