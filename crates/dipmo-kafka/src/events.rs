//! What a client says by itself: log lines, errors, and its wish for a token.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use dipmo_domain::Coded as _;
use rdkafka::ClientContext;
use rdkafka::client::OAuthToken;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerContext;
use rdkafka::statistics::Statistics;

use crate::secret::Secrets;
use crate::{KafkaError, Secret, TokenSource};

/// Takes what a client says to `tracing`, and remembers its last error.
///
/// A context with duties of its own holds one and passes the calls of `ClientContext` on to it,
/// `ENABLE_REFRESH_OAUTH_TOKEN` included.
pub struct ClientEvents {
    secrets: Secrets,
    tokens: Option<Arc<dyn TokenSource>>,
    /// The tokens that the client has, the newest last: it may still use the one before.
    given: Mutex<Vec<Secret>>,
    last: Mutex<Option<KafkaError>>,
}

impl ClientEvents {
    pub(crate) fn new(secrets: Secrets, tokens: Option<Arc<dyn TokenSource>>) -> Self {
        Self { secrets, tokens, given: Mutex::default(), last: Mutex::new(None) }
    }

    /// The last error of the client since it was last well: why nothing is answered.
    #[must_use]
    pub fn last_error(&self) -> Option<KafkaError> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A broker answered: what was wrong before is over.
    pub fn is_well(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn strike(&self, text: &str) -> String {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.iter().fold(self.secrets.strike(text), |text, token| token.strike(&text))
    }

    fn give(&self, token: &Secret) {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        if given.len() == 2 {
            given.remove(0);
        }
        given.push(token.clone());
    }
}

impl fmt::Debug for ClientEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientEvents").field("last", &self.last_error()).finish_non_exhaustive()
    }
}

impl ClientContext for ClientEvents {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = true;

    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        let message = self.strike(message);
        match level {
            RDKafkaLogLevel::Emerg
            | RDKafkaLogLevel::Alert
            | RDKafkaLogLevel::Critical
            | RDKafkaLogLevel::Error => {
                tracing::error!(target: "librdkafka", facility, "{message}");
            }
            RDKafkaLogLevel::Warning => {
                tracing::warn!(target: "librdkafka", facility, "{message}");
            }
            RDKafkaLogLevel::Notice | RDKafkaLogLevel::Info => {
                tracing::info!(target: "librdkafka", facility, "{message}");
            }
            RDKafkaLogLevel::Debug => {
                tracing::debug!(target: "librdkafka", facility, "{message}");
            }
        }
    }

    fn stats(&self, _: Statistics) {}

    /// librdkafka says the same many times while a broker is away: only news is a warning. That all
    /// brokers are down is no news after the reason why one is.
    fn error(&self, error: rdkafka::error::KafkaError, reason: &str) {
        let reason = self.strike(reason);
        let error = match error.rdkafka_error_code() {
            Some(code) => KafkaError::of_event(code, &reason),
            None => KafkaError::Unexpected { problem: reason },
        };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|last| last.code() != error.code()) {
            tracing::warn!(code = %error.code(), %error, "the Kafka client has a problem");
        }
        if last.is_none() || !error.to_string().contains("AllBrokersDown") {
            *last = Some(error);
        }
    }

    fn generate_oauth_token(&self, _: Option<&str>) -> Result<OAuthToken, Box<dyn Error>> {
        let source = self.tokens.as_ref().ok_or("OAUTHBEARER without a source of tokens")?;
        let token = source.token()?;
        self.give(&token.value);
        Ok(OAuthToken {
            token: token.value.expose().to_owned(),
            principal_name: token.principal,
            lifetime_ms: token.expires_at.as_micros().div_euclid(1_000),
        })
    }
}

impl ConsumerContext for ClientEvents {}

#[cfg(test)]
mod tests {
    use dipmo_domain::Timestamp;
    use rdkafka::error::KafkaError as RdError;
    use rdkafka::types::RDKafkaErrorCode;
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::*;
    use crate::Token;

    #[test]
    fn the_reason_outlives_the_news_that_all_are_down_and_has_no_secret() {
        let events = ClientEvents::new(Secrets::new([Secret::new("s3cret")]), None);
        let refused = RdError::Global(RDKafkaErrorCode::Authentication);
        events.error(refused, "login of s3cret refused");
        events.error(RdError::Global(RDKafkaErrorCode::AllBrokersDown), "1/1 brokers are down");
        let last = events.last_error().unwrap();
        assert_eq!(last.code().as_str(), "kafka-login-refused");
        assert!(last.to_string().contains("login of *** refused"), "{last}");
        events.is_well();
        assert_eq!(events.last_error(), None);
    }

    /// Gives another token each time.
    struct Counting(Mutex<u32>);

    impl TokenSource for Counting {
        fn token(&self) -> Result<Token, String> {
            let mut number = self.0.lock().unwrap();
            *number += 1;
            let value = Secret::new(format!("t0ken-{number}"));
            Ok(Token { value, principal: "u".to_owned(), expires_at: Timestamp::EPOCH })
        }
    }

    #[test]
    fn a_token_is_in_no_error_while_a_client_may_use_it() {
        let events =
            ClientEvents::new(Secrets::default(), Some(Arc::new(Counting(Mutex::default()))));
        for _ in 0..3 {
            events.generate_oauth_token(None).unwrap();
        }
        let refused = RdError::Global(RDKafkaErrorCode::Authentication);
        events.error(refused, "t0ken-3 is not valid, nor is t0ken-2");
        let last = events.last_error().unwrap().to_string();
        assert!(last.contains("*** is not valid, nor is ***"), "{last}");
    }

    #[test]
    fn log_lines_go_to_tracing_without_secrets() {
        let lines = Lines::default();
        let events = ClientEvents::new(Secrets::new([Secret::new("s3cret")]), None);
        tracing::subscriber::with_default(lines.clone(), || {
            events.log(RDKafkaLogLevel::Warning, "SASL", "user u with s3cret");
        });
        let said = lines.0.lock().unwrap().clone();
        assert!(said.contains("WARN librdkafka") && said.contains("user u with ***"), "{said}");
    }

    /// Writes every event down.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<String>>);

    impl Subscriber for Lines {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, event: &Event<'_>) {
            let mut lines = self.0.lock().unwrap();
            *lines += &format!("{} {}", event.metadata().level(), event.metadata().target());
            event.record(&mut Fields(&mut lines));
        }

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    struct Fields<'a>(&'a mut String);

    impl Visit for Fields<'_> {
        fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
            *self.0 += &format!(" {field}={value:?}");
        }
    }
}
