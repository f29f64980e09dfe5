//! TLS and logins against the listeners of a real broker.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::Timestamp;
use dipmo_kafka::testing::{self, Secure};
use dipmo_kafka::{KafkaOptions, Login, Sasl, Secret, Security, Tls, Token, TokenSource};
use dipmo_outbox::{Published, Publisher as _};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};

use crate::support::{delivery, is_delivered, refused};

fn options(servers: &str, security: Security) -> KafkaOptions {
    KafkaOptions { security, ..KafkaOptions::new(servers) }
}

fn publisher(kafka: KafkaOptions) -> KafkaPublisher {
    let deadline = Duration::from_secs(5);
    KafkaPublisher::new(KafkaSinkOptions { deadline, ..KafkaSinkOptions::new(kafka) }).unwrap()
}

fn login(user: &str, password: &str) -> Login {
    Login { user: user.to_owned(), password: Secret::new(password) }
}

fn tls(secure: &Secure) -> Tls {
    Tls { ca_file: Some(secure.ca.clone()), ..Tls::default() }
}

/// With a certificate of our own.
fn mutual(secure: &Secure) -> Tls {
    Tls {
        certificate_file: Some(secure.client_certificate.clone()),
        key_file: Some(secure.client_key.clone()),
        key_password: Some(Secret::new(&*secure.client_key_password)),
        ..tls(secure)
    }
}

/// A token that says who we are and is signed by nobody.
struct Unsigned(&'static str);

impl TokenSource for Unsigned {
    fn token(&self) -> Result<Token, String> {
        // {"alg":"none"}, and the claims with a fixed time far away.
        let claims = match self.0 {
            "dipmo" => "eyJzdWIiOiJkaXBtbyIsImlhdCI6MTYwMDAwMDAwMCwiZXhwIjo0MDAwMDAwMDAwfQ",
            other => return Err(format!("no token for {other}")),
        };
        Ok(Token {
            value: Secret::new(format!("eyJhbGciOiJub25lIn0.{claims}.")),
            principal: self.0.to_owned(),
            expires_at: Timestamp::from_micros(4_000_000_000_000_000).unwrap(),
        })
    }
}

/// A token that was good once, though its source thinks that it still is.
struct Expired;

impl TokenSource for Expired {
    fn token(&self) -> Result<Token, String> {
        let claims = "eyJzdWIiOiJkaXBtbyIsImlhdCI6MTYwMDAwMDAwMCwiZXhwIjoxNjAwMDAwMDAxfQ";
        let value = Secret::new(format!("eyJhbGciOiJub25lIn0.{claims}."));
        Ok(Token { value, ..Unsigned("dipmo").token()? })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_log_in_works() {
    let secure = testing::secure();
    let topic = testing::topic("logins", 1).await;
    let (user, password) = (&secure.user, &secure.password);
    let plain = || Sasl::Plain(login(user, password));
    let scram = || Sasl::ScramSha256(login(user, password));
    let long_scram = || Sasl::ScramSha512(login(user, password));
    let token = || Sasl::OAuthBearer(Arc::new(Unsigned("dipmo")));
    let ways = [
        (&secure.ssl, Security::Tls(tls(&secure))),
        (&secure.mtls, Security::Tls(mutual(&secure))),
        (&secure.sasl_plaintext, Security::SaslPlaintext(plain())),
        (&secure.sasl_plaintext, Security::SaslPlaintext(scram())),
        (&secure.sasl_plaintext, Security::SaslPlaintext(long_scram())),
        (&secure.sasl_plaintext, Security::SaslPlaintext(token())),
        (&secure.sasl_ssl, Security::SaslTls(plain(), tls(&secure))),
        (&secure.sasl_ssl, Security::SaslTls(scram(), tls(&secure))),
        (&secure.sasl_ssl, Security::SaslTls(long_scram(), tls(&secure))),
        (&secure.sasl_ssl, Security::SaslTls(token(), tls(&secure))),
    ];
    for (unit, (servers, security)) in (0..).zip(ways) {
        let mut kafka = KafkaSinkOptions::new(options(servers, security.clone()));
        // A first handshake takes its time on a busy machine.
        kafka.deadline = Duration::from_secs(60);
        let publisher = KafkaPublisher::new(kafka).unwrap();
        let answers = publisher.publish(&[delivery(&topic, "a", unit)]).await;
        assert!(is_delivered(&answers[0]), "{security:?}: {answers:?}");
    }
    assert_eq!(testing::read_to_end(&topic).len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_is_refused_costs_no_attempt_and_is_called_by_its_name() {
    let secure = testing::secure();
    let wrong = || login(&secure.user, "wr0ng-passw0rd");
    let ways = [
        (&secure.sasl_plaintext, Security::SaslPlaintext(Sasl::ScramSha256(wrong()))),
        (&secure.sasl_plaintext, Security::SaslPlaintext(Sasl::ScramSha512(wrong()))),
        (&secure.sasl_plaintext, Security::SaslPlaintext(Sasl::OAuthBearer(Arc::new(Expired)))),
        // Whom the system trusts has not signed it.
        (&secure.ssl, Security::Tls(Tls::default())),
        // The broker asks for a certificate, and we have none.
        (&secure.mtls, Security::Tls(tls(&secure))),
    ];
    for (servers, security) in ways {
        let publisher = publisher(options(servers, security.clone()));
        let answers = publisher.publish(&[delivery("never", "a", 1)]).await;
        assert_eq!(answers, [Published::NotTried], "{security:?}");
        let failed = publisher.metrics().snapshot().failed;
        let codes: Vec<_> = failed.keys().copied().collect();
        assert_eq!(codes, ["kafka-login-refused"], "{security:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_may_not_write_is_refused_with_the_brokers_words() {
    let secure = testing::secure();
    let topic = testing::topic("forbidden", 1).await;
    let guest = Sasl::Plain(login(&secure.guest, &secure.password));
    let publisher = publisher(options(&secure.sasl_plaintext, Security::SaslPlaintext(guest)));
    let all = [delivery(&topic, "a", 1), delivery(&topic, "a", 2)];
    let answers = publisher.publish(&all).await;
    assert_eq!(refused(&answers[0]), "kafka-not-authorised");
    let Published::Refused(failure) = &answers[0] else { unreachable!() };
    assert!(failure.message().contains("authorization failed"), "{}", failure.message());
    assert_eq!(answers[1], Published::NotTried);
    assert!(testing::read_to_end(&topic).is_empty());
}
