//! Properties of librdkafka: their second names, which of them are secrets, whether one is valid.

use rdkafka::config::ClientConfig;

use crate::KafkaError;
use crate::secret::Secrets;

/// Properties with two names. The first is the one that we compare by.
const ALIASES: [(&str, &str); 10] = [
    ("bootstrap.servers", "metadata.broker.list"),
    ("sasl.mechanism", "sasl.mechanisms"),
    ("max.in.flight", "max.in.flight.requests.per.connection"),
    ("linger.ms", "queue.buffering.max.ms"),
    ("retries", "message.send.max.retries"),
    ("compression.type", "compression.codec"),
    ("acks", "request.required.acks"),
    ("delivery.timeout.ms", "message.timeout.ms"),
    ("max.partition.fetch.bytes", "fetch.message.max.bytes"),
    ("enable.auto.commit", "auto.commit.enable"),
];

/// The one name of a property: who may not set `acks` may not set `request.required.acks` either.
pub(crate) fn canonical(name: &str) -> &str {
    ALIASES.iter().find(|(_, alias)| *alias == name).map_or(name, |(first, _)| first)
}

/// Whether the value of a property is nobody's business.
pub(crate) fn is_secret(name: &str) -> bool {
    ["password", "secret", "pem", "token", "jaas", "sasl.oauthbearer.config", "private.key"]
        .iter()
        .any(|mark| name.contains(mark))
}

/// Asks librdkafka about one property.
pub(crate) fn check(name: &str, value: &str, secrets: &Secrets) -> Result<(), KafkaError> {
    let mut config = ClientConfig::new();
    config.set(name, value);
    let refused = |problem: String| KafkaError::PropertyInvalid {
        property: name.to_owned(),
        problem: secrets.strike(&problem),
    };
    match config.create_native_config() {
        Ok(_) => Ok(()),
        Err(rdkafka::error::KafkaError::ClientConfig(_, words, _, _)) => Err(refused(words)),
        Err(rdkafka::error::KafkaError::Nul(_)) => Err(refused("it has a NUL".to_owned())),
        Err(other) => Err(refused(other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn librdkafka_takes_every_name_in_the_table() {
        for (first, alias) in ALIASES {
            for name in [first, alias] {
                let refused = check(name, "certainly no value", &Secrets::default());
                let said = refused.map_err(|error| error.to_string()).err().unwrap_or_default();
                assert!(!said.contains("No such"), "{name}: {said}");
            }
        }
    }
}
