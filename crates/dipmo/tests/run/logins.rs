//! Logins to Kafka as the file writes them: taken, refused, and without rights.

use dipmo::wiring::probe::{Limits, probe};
use dipmo_kafka::testing;

use crate::probing::{pipeline, shown};

/// A source alone, on a listener that wants a login over TLS.
fn config(user: &str, password: &str, topic: &str) -> String {
    let secure = testing::secure();
    let (brokers, ca) = (&secure.sasl_ssl, secure.ca.display());
    format!(
        r#"
dipmo: 1
store: {{sqlite: ":memory:"}}
kafka:
  default:
    brokers: "{brokers}"
    security:
      protocol: sasl_ssl
      mechanism: scram_sha_512
      user: {user}
      password: "${{env:LOGIN_OF_NOBODY:-{password}}}"
      ca_file: {ca}
sources: {{shop: {{group: {topic}, topics: {{{topic}: {{}}}}}}}}
"#
    )
}

/// What is answered about brokers, topic and group.
async fn answers(user: &str, password: &str, topic: &str) -> Vec<String> {
    let pipeline = pipeline(&config(user, password, topic));
    let rows = probe(&pipeline, Limits::default()).await;
    for row in rows.iter().filter_map(|row| row.answer.as_ref().err()) {
        assert!(!row.message.contains(password), "{}", row.message);
    }
    shown(&rows)[1..].to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_is_taken_refused_or_without_rights() {
    let topic = testing::topic("logins", 1).await;
    let secure = testing::secure();
    let row = |what: &str, answer: &str| format!("{what} {topic}: {answer}");
    let taken = answers(&secure.user, &secure.password, &topic).await;
    assert_eq!(taken, ["brokers: ok".to_owned(), row("topic", "ok"), row("group", "ok")]);
    let refused = answers(&secure.user, "wr0ng-s3cret", &topic).await;
    assert_eq!(refused, ["brokers: kafka-login-refused"]);
    let guest = answers(&secure.guest, &secure.password, &topic).await;
    assert_eq!(guest[..2], ["brokers: ok".to_owned(), row("topic", "kafka-topic-unknown")]);
}
