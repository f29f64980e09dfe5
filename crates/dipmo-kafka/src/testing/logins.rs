//! Every way into the test cluster, and ways that are refused.

use std::sync::Arc;

use dipmo_domain::Timestamp;

use super::Secure;
use crate::{KafkaOptions, Login, Sasl, Secret, Security, Tls, Token, TokenSource};

const WRONG: &str = "wr0ng-passw0rd";

/// `{"alg":"none"}`, and claims of the user: until the year 2096, and until a second of 2020.
const HEAD: &str = "eyJhbGciOiJub25lIn0";
const VALID: &str = "eyJzdWIiOiJkaXBtbyIsImlhdCI6MTYwMDAwMDAwMCwiZXhwIjo0MDAwMDAwMDAwfQ";
const EXPIRED: &str = "eyJzdWIiOiJkaXBtbyIsImlhdCI6MTYwMDAwMDAwMCwiZXhwIjoxNjAwMDAwMDAxfQ";

impl Secure {
    /// The user, by every listener and every way to log in.
    #[must_use]
    pub fn ways_in(&self) -> Vec<KafkaOptions> {
        let sasl = || {
            let login = || self.login(&self.user, &self.password);
            [
                Sasl::Plain(login()),
                Sasl::ScramSha256(login()),
                Sasl::ScramSha512(login()),
                Sasl::OAuthBearer(Arc::new(Unsigned(VALID))),
            ]
        };
        let mut ways = vec![
            options(&self.ssl, Security::Tls(self.tls())),
            options(&self.mtls, Security::Tls(self.mutual_tls())),
        ];
        ways.extend(
            sasl().map(|sasl| options(&self.sasl_plaintext, Security::SaslPlaintext(sasl))),
        );
        ways.extend(
            sasl().map(|sasl| options(&self.sasl_ssl, Security::SaslTls(sasl, self.tls()))),
        );
        ways
    }

    /// Logins that the broker refuses, and a broker that we refuse.
    #[must_use]
    pub fn ways_that_are_refused(&self) -> Vec<KafkaOptions> {
        let wrong = || self.login(&self.user, WRONG);
        let sasl = [
            Sasl::Plain(wrong()),
            Sasl::ScramSha256(wrong()),
            Sasl::ScramSha512(wrong()),
            Sasl::OAuthBearer(Arc::new(Unsigned(EXPIRED))),
        ];
        let mut ways: Vec<KafkaOptions> =
            sasl.map(|sasl| options(&self.sasl_plaintext, Security::SaslPlaintext(sasl))).into();
        // Whom the system trusts has not signed it.
        ways.push(options(&self.ssl, Security::Tls(Tls::default())));
        // The broker asks for a certificate, and we have none.
        ways.push(options(&self.mtls, Security::Tls(self.tls())));
        ways
    }

    /// Somebody who may log in and do nothing.
    #[must_use]
    pub fn as_guest(&self) -> KafkaOptions {
        let login = Sasl::Plain(self.login(&self.guest, &self.password));
        options(&self.sasl_plaintext, Security::SaslPlaintext(login))
    }

    /// Everything that nobody may read of these ways.
    #[must_use]
    pub fn secrets(&self) -> Vec<String> {
        let (password, key) = (self.password.as_str(), self.client_key_password.as_str());
        let secrets = [password, key, WRONG, VALID, EXPIRED];
        secrets.map(str::to_owned).into()
    }

    fn login(&self, user: &str, password: &str) -> Login {
        Login { user: user.to_owned(), password: Secret::new(password) }
    }

    fn tls(&self) -> Tls {
        Tls { ca_file: Some(self.ca.clone()), ..Tls::default() }
    }

    /// With a certificate of our own.
    fn mutual_tls(&self) -> Tls {
        Tls {
            certificate_file: Some(self.client_certificate.clone()),
            key_file: Some(self.client_key.clone()),
            key_password: Some(Secret::new(&*self.client_key_password)),
            ..self.tls()
        }
    }
}

fn options(servers: &str, security: Security) -> KafkaOptions {
    KafkaOptions { security, ..KafkaOptions::new(servers) }
}

/// A token with these claims that is signed by nobody. Its source thinks that it is valid.
struct Unsigned(&'static str);

impl TokenSource for Unsigned {
    fn token(&self) -> Result<Token, String> {
        let expires_at = Timestamp::from_micros(4_000_000_000_000_000);
        Ok(Token {
            value: Secret::new(format!("{HEAD}.{}.", self.0)),
            principal: "dipmo".to_owned(),
            expires_at: expires_at.ok_or("no such time")?,
        })
    }
}
