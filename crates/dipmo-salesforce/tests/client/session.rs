//! Logging in, and logging in again.

use std::time::Duration;

use dipmo_salesforce::{Auth, Class, Client, ClientOptions, Error, Secret};
use futures_util::future::join_all;
use serde_json::json;

use crate::org::{Org, ada, contact};

const TWO_HOURS: Duration = Duration::from_secs(2 * 3600);

/// Twenty upserts at once.
async fn twenty(client: &Client) -> Vec<Result<(), Error>> {
    let upsert = |index: usize| async move {
        client.upsert(&contact(&format!("C-{index}")), &ada()).await.map(|_| ())
    };
    join_all((0..20).map(upsert)).await
}

#[tokio::test]
async fn twenty_calls_at_once_log_in_once() {
    let org = Org::start().await;
    let client = org.client();
    assert!(twenty(&client).await.iter().all(Result::is_ok));
    assert_eq!(org.count("oauth"), 1);
}

#[tokio::test]
async fn twenty_calls_whose_session_ended_log_in_once_and_are_repeated() {
    let org = Org::start().await;
    let client = org.client();
    client.login().await.unwrap();
    org.simulator.advance(TWO_HOURS);
    assert!(twenty(&client).await.iter().all(Result::is_ok));
    assert_eq!(org.count("oauth"), 2);
    assert_eq!(org.calls("sobject").iter().filter(|call| call.status == 201).count(), 20);
    for index in 0..20 {
        assert_eq!(org.applied(&format!("C-{index}")), 1);
    }
}

#[tokio::test]
async fn twenty_calls_share_a_refused_login() {
    let org = Org::start().await;
    let auth = Auth::ClientCredentials {
        client_id: org.simulator.credentials().unwrap().client_id,
        client_secret: Secret::new("wrong"),
    };
    let client = Client::new(ClientOptions { auth, ..org.options() }).unwrap();
    for outcome in twenty(&client).await {
        let error = outcome.unwrap_err();
        assert_eq!((error.class(), error.code()), (Class::Unauthorized, "invalid_client"));
        assert!(!error.is_ambiguous());
    }
    assert_eq!(org.count("oauth"), 1, "a wrong secret is not sent twenty times");
    assert_eq!(client.login().await.unwrap_err().class(), Class::Unauthorized);
    assert_eq!(org.count("oauth"), 2, "but a later call asks again");
}

#[tokio::test]
async fn a_login_that_failed_for_the_moment_is_tried_by_the_next_call() {
    let org = Org::start().await;
    org.fault("oauth", 1, json!({ "kind": "unavailable", "retry_after": 7 }));
    let client = org.client();
    let error = client.login().await.unwrap_err();
    assert_eq!((error.class(), error.status()), (Class::Transient, Some(503)));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    client.login().await.unwrap();
    client.login().await.unwrap();
    assert_eq!(org.count("oauth"), 2, "a session that is there stays");
}

#[tokio::test]
async fn a_session_that_ends_is_renewed_once_for_each_call() {
    let org = Org::start().await;
    let client = org.client();
    org.fault("sobject", 1, json!({ "kind": "revoke_token" }));
    assert!(client.upsert(&contact("C-1"), &ada()).await.unwrap().created);
    assert_eq!((org.count("oauth"), org.count("sobject"), org.applied("C-1")), (2, 2, 1));
}

#[tokio::test]
async fn a_second_401_in_a_row_is_unauthorized() {
    let org = Org::start().await;
    let client = org.client();
    org.fault("sobject", 2, json!({ "kind": "session_expired" }));
    let error = client.upsert(&contact("C-1"), &ada()).await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Unauthorized, "INVALID_SESSION_ID"));
    assert_eq!(error.status(), Some(401));
    assert!(!error.is_ambiguous());
    assert_eq!((org.count("oauth"), org.count("sobject")), (2, 2));
    client.upsert(&contact("C-1"), &ada()).await.unwrap();
}

#[tokio::test]
async fn a_session_that_is_not_for_rest_is_unauthorized_at_once() {
    let org = Org::start().await;
    let client = org.client();
    let message = "This session is not valid for use with the REST API";
    let fault = json!({ "kind": "refuse", "status": 401, "code": "INVALID_SESSION_ID", "message": message });
    org.fault("sobject", 1, fault);
    let error = client.upsert(&contact("C-1"), &ada()).await.unwrap_err();
    assert_eq!((error.class(), error.message().as_str()), (Class::Unauthorized, message));
    assert_eq!((org.count("oauth"), org.count("sobject")), (1, 1));
}

/// An org that knows the certificate of the app, and the options of that app.
async fn with_certificate(key: &str) -> (Org, ClientOptions) {
    let certificate = include_str!("keys/app.cert.pem").replace('\n', "\n        ");
    let org = Org::with(&format!(
        "org:\n  users:\n    - {{ username: integration@example.com }}\n  apps:\n    - client_id: app\n      \
         client_secret: s3cret\n      user: integration@example.com\n      certificate: |\n        {certificate}\n"
    ))
    .await;
    let auth = Auth::Jwt {
        client_id: "app".to_owned(),
        username: "integration@example.com".to_owned(),
        audience: None,
        private_key: Secret::new(key),
    };
    let options = ClientOptions { auth, ..org.options() };
    (org, options)
}

#[tokio::test]
async fn an_assertion_is_signed_with_either_form_of_key() {
    for key in [include_str!("keys/app.key.pem"), include_str!("keys/app.pkcs1.pem")] {
        let (org, options) = with_certificate(key).await;
        let client = Client::new(options).unwrap();
        client.upsert(&contact("C-1"), &ada()).await.unwrap();
        org.simulator.advance(TWO_HOURS);
        // The org's clock is two hours ahead of ours now, so that no assertion is valid any more.
        let error = client.upsert(&contact("C-1"), &ada()).await.unwrap_err();
        assert_eq!((error.class(), error.code()), (Class::Unauthorized, "invalid_grant"));
    }
}

#[tokio::test]
async fn an_assertion_for_somebody_else_or_by_another_key_is_refused() {
    let key = include_str!("keys/app.key.pem");
    let (org, options) = with_certificate(key).await;
    let jwt = |username: &str, audience: Option<&str>, key: &str| {
        let auth = Auth::Jwt {
            client_id: "app".to_owned(),
            username: username.to_owned(),
            audience: audience.map(str::to_owned),
            private_key: Secret::new(key),
        };
        Client::new(ClientOptions { auth, ..options.clone() }).unwrap()
    };
    let own = org.simulator.url().to_owned();
    jwt("integration@example.com", Some(&own), key).login().await.unwrap();
    let other_key = include_str!("keys/tls.key.pem");
    for (client, message) in [
        (jwt("nobody@example.com", None, key), "user hasn't approved this consumer"),
        (jwt("integration@example.com", Some("https://example.com"), key), "audience is invalid"),
        (jwt("integration@example.com", None, other_key), "invalid assertion"),
    ] {
        let error = client.login().await.unwrap_err();
        assert_eq!((error.class(), error.message().as_str()), (Class::Unauthorized, message));
    }
}

#[tokio::test]
async fn a_key_that_cannot_sign_is_refused_before_anybody_is_asked() {
    let (_org, options) = with_certificate("no key").await;
    let refused = |key: &str| {
        let auth = Auth::Jwt {
            client_id: "app".to_owned(),
            username: "integration@example.com".to_owned(),
            audience: None,
            private_key: Secret::new(key),
        };
        let error = Client::new(ClientOptions { auth, ..options.clone() }).unwrap_err();
        assert_eq!(error.class(), Class::Misconfigured);
        assert_eq!(error.code(), "salesforce-options-invalid");
        error.message()
    };
    assert!(refused("no key").contains("private_key is no private key in PEM"));
    assert!(refused(include_str!("keys/app.cert.pem")).contains("private_key"));
    assert!(refused(include_str!("keys/ec.key.pem")).contains("private_key cannot be used"));
}
