//! Where Kafka is, and what a client of it is told.

use std::collections::BTreeMap;
use std::fmt;

use rdkafka::ClientContext;
use rdkafka::config::{ClientConfig, FromClientConfigAndContext, RDKafkaLogLevel};

use crate::property;
use crate::secret::{Secret, Secrets};
use crate::{ClientEvents, KafkaError, Security};

/// How to reach a cluster.
#[derive(Clone)]
pub struct KafkaOptions {
    /// Some of its brokers, `host:port,host:port`; they tell about the others.
    pub bootstrap_servers: String,
    /// What the brokers call us in their logs, quotas and metrics. Defaults to `dipmo`.
    pub client_id: String,
    /// Login and encryption. Defaults to none.
    pub security: Security,
    /// Any property of librdkafka. One that it does not know, or that dipmo's guarantees hang on,
    /// is an error at start.
    pub properties: BTreeMap<String, String>,
}

/// What one kind of client needs: a consumer or a producer.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Properties that the guarantees of this client hang on: nobody can set another value.
    pub owned: Vec<(&'static str, String)>,
    /// Good values that [`KafkaOptions::properties`] may replace.
    pub defaults: Vec<(&'static str, String)>,
}

/// Properties that have a field of their own, and its name.
const FIELDS: [(&str, &str); 11] = [
    ("bootstrap.servers", "bootstrap_servers"),
    ("client.id", "client_id"),
    ("security.protocol", "security"),
    ("sasl.mechanism", "security"),
    ("sasl.username", "security"),
    ("sasl.password", "security"),
    ("ssl.ca.location", "security"),
    ("ssl.certificate.location", "security"),
    ("ssl.key.location", "security"),
    ("ssl.key.password", "security"),
    ("sasl.oauthbearer.method", "security"),
];

impl KafkaOptions {
    /// The defaults, for some brokers.
    #[must_use]
    pub fn new(bootstrap_servers: &str) -> Self {
        Self {
            bootstrap_servers: bootstrap_servers.to_owned(),
            client_id: "dipmo".to_owned(),
            security: Security::Plaintext,
            properties: BTreeMap::new(),
        }
    }

    /// With a property of librdkafka.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.properties.insert(name.to_owned(), value.to_owned());
        self
    }

    /// The configuration of a client.
    ///
    /// # Errors
    /// When a property is unknown, refused or not to be set: the error names it.
    pub fn config(&self, settings: &Settings) -> Result<ClientConfig, KafkaError> {
        let secrets = self.secrets();
        let mut config = ClientConfig::new();
        // librdkafka would take our word for it and then wait for ever.
        if self.bootstrap_servers.trim().is_empty() {
            let problem = "no broker is named".to_owned();
            return Err(KafkaError::PropertyInvalid {
                property: "bootstrap.servers".to_owned(),
                problem,
            });
        }
        let mut all: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in &settings.defaults {
            all.insert(property::canonical(name).to_owned(), value.clone());
        }
        for (name, value) in &self.properties {
            self.may_set(name, settings)?;
            all.insert(property::canonical(name).to_owned(), value.clone());
        }
        for (name, value) in settings.owned.iter().cloned().chain(self.fields()) {
            all.insert(property::canonical(name).to_owned(), value);
        }
        for (name, value) in &all {
            property::check(name, value, &secrets)?;
            config.set(name, value);
        }
        config.set_log_level(log_level(&all));
        Ok(config)
    }

    /// A client of this configuration.
    ///
    /// # Errors
    /// When librdkafka refuses to make it, such as for a certificate that is not there.
    pub fn client<C, T>(&self, config: &ClientConfig, context: C) -> Result<T, KafkaError>
    where
        C: ClientContext,
        T: FromClientConfigAndContext<C>,
    {
        config.create_with_context(context).map_err(|error| {
            let problem = match &error {
                rdkafka::error::KafkaError::ClientCreation(words) => words.clone(),
                other => other.to_string(),
            };
            KafkaError::ClientRefused { problem: self.secrets().strike(&problem) }
        })
    }

    /// What takes the log lines and errors of a client of these options.
    #[must_use]
    pub fn events(&self) -> ClientEvents {
        ClientEvents::new(self.secrets(), self.security.token_source())
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let mut all = self.security.properties();
        all.push(("bootstrap.servers", self.bootstrap_servers.clone()));
        all.push(("client.id", self.client_id.clone()));
        all
    }

    fn may_set(&self, name: &str, settings: &Settings) -> Result<(), KafkaError> {
        let canonical = property::canonical(name);
        let owned =
            |instead: String| KafkaError::PropertyOwned { property: name.to_owned(), instead };
        if let Some((_, field)) = FIELDS.iter().find(|(field, _)| *field == canonical) {
            return Err(owned(format!("the option `{field}` says it")));
        }
        let of_client = |(own, _): &&(&str, String)| property::canonical(own) == canonical;
        match settings.owned.iter().find(of_client) {
            Some((_, value)) => Err(owned(format!("dipmo relies on it being {value:?}"))),
            None => Ok(()),
        }
    }

    fn secrets(&self) -> Secrets {
        let hidden = self.properties.iter().filter(|(name, _)| property::is_secret(name));
        let hidden = hidden.map(|(_, value)| Secret::new(value));
        Secrets::new(self.security.secrets().into_iter().chain(hidden))
    }
}

impl fmt::Debug for KafkaOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secrets = self.secrets();
        let shown = self.properties.iter().map(|(name, value)| (name, secrets.strike(value)));
        f.debug_struct("KafkaOptions")
            .field("bootstrap_servers", &self.bootstrap_servers)
            .field("client_id", &self.client_id)
            .field("security", &self.security)
            .field("properties", &shown.collect::<BTreeMap<_, _>>())
            .finish()
    }
}

/// Debug lines are made only for whoever asked for them.
fn log_level(properties: &BTreeMap<String, String>) -> RDKafkaLogLevel {
    if properties.contains_key("debug") { RDKafkaLogLevel::Debug } else { RDKafkaLogLevel::Info }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Coded as _;

    use super::*;
    use crate::{Login, Sasl, Tls};

    fn options() -> KafkaOptions {
        KafkaOptions::new("localhost:1")
    }

    fn refusal(options: &KafkaOptions, settings: &Settings) -> KafkaError {
        options.config(settings).map(drop).unwrap_err()
    }

    #[test]
    fn a_property_that_librdkafka_does_not_know_or_refuses_is_named() {
        let unknown = refusal(&options().with("linger.millis", "5"), &Settings::default());
        assert_eq!(unknown.code().as_str(), "kafka-property-invalid");
        assert!(unknown.to_string().contains("\"linger.millis\""), "{unknown}");
        let refused = refusal(&options().with("linger.ms", "soon"), &Settings::default());
        assert_eq!(refused.code().as_str(), "kafka-property-invalid");
        assert!(refused.to_string().contains("\"linger.ms\""), "{refused}");
        let url = "sasl.oauthbearer.token.endpoint.url";
        let left_out = refusal(&options().with(url, "https://id"), &Settings::default());
        assert!(left_out.to_string().contains("not available at build time"), "{left_out}");
        let nowhere = refusal(&KafkaOptions::new(" "), &Settings::default());
        assert!(nowhere.to_string().contains("bootstrap.servers"), "{nowhere}");
    }

    #[test]
    fn what_dipmo_relies_on_cannot_be_changed_under_any_name() {
        let owned = vec![("acks", "all".to_owned())];
        let settings = Settings { owned, ..Settings::default() };
        for name in ["acks", "request.required.acks"] {
            let error = refusal(&options().with(name, "1"), &settings);
            assert_eq!(error.code().as_str(), "kafka-property-owned");
            assert!(error.to_string().contains(&format!("{name:?}")), "{error}");
        }
        let field = refusal(&options().with("metadata.broker.list", "other:1"), &settings);
        assert!(field.to_string().contains("`bootstrap_servers`"), "{field}");
    }

    #[test]
    fn a_default_gives_way_under_any_name() {
        let defaults = vec![("linger.ms", "5".to_owned())];
        let settings = Settings { defaults, ..Settings::default() };
        let config = options().with("queue.buffering.max.ms", "9").config(&settings).unwrap();
        assert_eq!(config.get("linger.ms"), Some("9"));
        assert_eq!(config.get("queue.buffering.max.ms"), None);
    }

    #[test]
    fn security_becomes_properties() {
        let login = Login { user: "u".to_owned(), password: Secret::new("p4ss") };
        let tls = Tls { ca_file: Some("ca.pem".into()), ..Tls::default() };
        let security = Security::SaslTls(Sasl::ScramSha512(login), tls);
        let config = KafkaOptions { security, ..options() }.config(&Settings::default()).unwrap();
        assert_eq!(config.get("security.protocol"), Some("sasl_ssl"));
        assert_eq!(config.get("sasl.mechanism"), Some("SCRAM-SHA-512"));
        assert_eq!(config.get("sasl.password"), Some("p4ss"));
        assert_eq!(config.get("ssl.ca.location"), Some("ca.pem"));
    }

    #[test]
    fn a_secret_is_in_no_debug_print_and_no_error() {
        let login = Login { user: "u".to_owned(), password: Secret::new("s3cret") };
        let key_password = Some(Secret::new("k3y-secret"));
        let tls = Tls { key_password, ca_file: Some("no/such/file".into()), ..Tls::default() };
        let options = KafkaOptions {
            security: Security::SaslTls(Sasl::Plain(login), tls),
            ..options().with("ssl.keystore.password", "st0re-secret")
        };
        let broken = options.clone().with("ssl.key.pem", "p3m-secret");
        let config = broken.config(&Settings::default());
        let error = match config {
            Err(error) => error,
            Ok(config) => {
                let made = broken.client(&config, broken.events());
                made.map(|_: rdkafka::consumer::BaseConsumer<ClientEvents>| ()).unwrap_err()
            }
        };
        for text in [format!("{options:?}"), format!("{broken:?}"), error.to_string()] {
            assert!(!text.contains("s3cret") && !text.contains("secret"), "{text}");
        }
    }

    #[test]
    fn a_certificate_that_is_not_there_is_an_error_at_start() {
        let tls = Tls { ca_file: Some("no/such/file.pem".into()), ..Tls::default() };
        let options = KafkaOptions { security: Security::Tls(tls), ..options() };
        let config = options.config(&Settings::default()).unwrap();
        let made = options.client(&config, options.events());
        let error = made.map(|_: rdkafka::consumer::BaseConsumer<ClientEvents>| ()).unwrap_err();
        assert_eq!(error.code().as_str(), "kafka-client-refused");
        assert!(error.to_string().contains("ssl.ca.location"), "{error}");
    }
}
