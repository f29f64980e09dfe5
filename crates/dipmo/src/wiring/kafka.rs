//! Clusters of Kafka.

use std::collections::BTreeMap;
use std::path::PathBuf;

use dipmo_config::model::kafka as model;
use dipmo_config::{Config, Name, Place, Problem, Problems, Secret, Spanned, Template, Written};
use dipmo_kafka::{KafkaError, KafkaOptions, Login, Sasl, Security, Settings, Tls};

use super::problem::{coded, invalid, missing, struck, unknown};

/// The cluster that is meant where none is named.
const DEFAULT: &str = "default";

/// All clusters by name; `None` where one cannot be used, which was said.
pub(super) struct Clusters<'a> {
    config: &'a Config,
    options: BTreeMap<&'a str, Option<KafkaOptions>>,
}

impl<'a> Clusters<'a> {
    /// Reads each cluster once, also one that nobody uses.
    pub(super) fn of(config: &'a Config, problems: &mut Problems) -> Self {
        let read = |(name, cluster): (&'a Name, &'a model::Cluster)| {
            (name.as_str(), options(cluster, problems))
        };
        Self { config, options: config.kafka.iter().map(read).collect() }
    }

    /// The options of a client, with properties of its own. `user` is who wants it.
    pub(super) fn client(
        &self,
        name: Option<&Name>,
        user: Place,
        more: &model::Properties,
        problems: &mut Problems,
    ) -> Option<KafkaOptions> {
        let (wanted, place) = name.map_or((DEFAULT, user), |name| (name.as_str(), name.place));
        let Some(found) = self.options.get(wanted) else {
            let known = self.config.kafka.keys();
            problems.push(unknown("cluster under `kafka`", wanted, place, known));
            return None;
        };
        let mut options = found.clone()?;
        add(&mut options, more);
        check(options, user, &[more], problems)
    }

    /// Where a cluster says who its brokers are; `user` where there is no such cluster.
    pub(super) fn brokers(&self, name: Option<&Name>, user: Place) -> Place {
        let cluster = self.config.kafka.get(name.map_or(DEFAULT, Name::as_str));
        cluster.map_or(user, |cluster| cluster.brokers.place)
    }

    /// An error of a client, at the property that it names: its own, or one of its cluster.
    pub(super) fn about(
        &self,
        error: &KafkaError,
        name: Option<&Name>,
        user: Place,
        more: &model::Properties,
    ) -> Problem {
        let cluster = self.config.kafka.get(name.map_or(DEFAULT, Name::as_str));
        let of_cluster = cluster.map(|cluster| &cluster.properties);
        let properties: Vec<_> = [more].into_iter().chain(of_cluster).collect();
        about(error, user, &properties)
    }
}

fn options(cluster: &model::Cluster, problems: &mut Problems) -> Option<KafkaOptions> {
    let model::Cluster { place: _, brokers, client_id, security, properties } = cluster;
    let mut options = KafkaOptions::new(brokers.expose());
    if let Some(client_id) = client_id {
        client_id.expose().clone_into(&mut options.client_id);
    }
    if let Some(security) = security {
        options.security = secured(security, problems)?;
    }
    add(&mut options, properties);
    check(options, brokers.place, &[properties], problems)
}

fn add(options: &mut KafkaOptions, properties: &model::Properties) {
    for (name, Written(value)) in properties.0.iter() {
        options.properties.insert(name.to_string(), value.expose().to_owned());
    }
}

/// What can be told without knowing what kind of client it will be.
fn check(
    options: KafkaOptions,
    place: Place,
    properties: &[&model::Properties],
    problems: &mut Problems,
) -> Option<KafkaOptions> {
    match options.config(&Settings::default()) {
        Ok(_) => Some(options),
        Err(error) => {
            problems.push(about(&error, place, properties));
            None
        }
    }
}

/// An error of a client, at the property that it names.
pub(super) fn about(
    error: &KafkaError,
    otherwise: Place,
    properties: &[&model::Properties],
) -> Problem {
    let (KafkaError::PropertyInvalid { property, .. } | KafkaError::PropertyOwned { property, .. }) =
        error
    else {
        return coded(error, otherwise);
    };
    let written = properties.iter().find_map(|properties| properties.0.entry(property));
    let Some((name, Written(value))) = written else { return coded(error, otherwise) };
    let mut problem = coded(error, name.place);
    problem.message = struck(&problem.message, value);
    problem
}

fn secured(security: &model::Security, problems: &mut Problems) -> Option<Security> {
    let model::Security {
        place,
        protocol,
        mechanism,
        user,
        password,
        ca_file,
        certificate_file,
        key_file,
        key_password,
    } = security;
    let chosen = protocol.as_ref().map_or(model::Protocol::Plaintext, |it| it.value);
    let login = LoginParts { mechanism: *mechanism, user, password };
    let files = [ca_file, certificate_file, key_file].map(Option::as_ref);
    let [ca_file, certificate_file, key_file] = files.map(|file| file.map(Template::expose));
    let tls = Tls {
        ca_file: ca_file.map(PathBuf::from),
        certificate_file: certificate_file.map(PathBuf::from),
        key_file: key_file.map(PathBuf::from),
        key_password: key_password.as_ref().map(|it| dipmo_kafka::Secret::new(it.expose())),
    };
    let tls_place = files.iter().flatten().map(|file| file.place).next();
    let tls_place = tls_place.or_else(|| key_password.as_ref().map(Secret::place));
    let needs = |what: &str, words: &str, place: Place| {
        let has = chosen.as_str();
        invalid(place, format!("{what} needs `protocol: {words}`, and this is `{has}`"))
    };
    let (sasl, encrypted) = match chosen {
        model::Protocol::Plaintext => (false, false),
        model::Protocol::Ssl => (false, true),
        model::Protocol::SaslPlaintext => (true, false),
        model::Protocol::SaslSsl => (true, true),
    };
    let unfit = [
        login.place().filter(|_| !sasl).map(|at| needs("a login", "sasl_ssl", at)),
        tls_place.filter(|_| !encrypted).map(|at| needs("a certificate", "ssl` or `sasl_ssl", at)),
    ];
    if unfit.iter().any(Option::is_some) {
        problems.extend(unfit.into_iter().flatten());
        return None;
    }
    Some(match (sasl, encrypted) {
        (false, false) => Security::Plaintext,
        (false, true) => Security::Tls(tls),
        (true, false) => Security::SaslPlaintext(login.sasl(*place, problems)?),
        (true, true) => Security::SaslTls(login.sasl(*place, problems)?, tls),
    })
}

/// What a login is made of.
struct LoginParts<'a> {
    mechanism: Option<Spanned<model::Mechanism>>,
    user: &'a Option<Template>,
    password: &'a Option<Secret>,
}

impl LoginParts<'_> {
    /// Where the first of them stands.
    fn place(&self) -> Option<Place> {
        let mechanism = self.mechanism.map(|it| it.place);
        let user = self.user.as_ref().map(|it| it.place);
        mechanism.or(user).or_else(|| self.password.as_ref().map(Secret::place))
    }

    fn sasl(&self, place: Place, problems: &mut Problems) -> Option<Sasl> {
        let (Some(mechanism), Some(user), Some(password)) =
            (self.mechanism, self.user, self.password)
        else {
            let message = "a login by SASL needs `mechanism`, `user` and `password`";
            problems.push(missing(place, message));
            return None;
        };
        let password = dipmo_kafka::Secret::new(password.expose());
        let login = Login { user: user.expose().to_owned(), password };
        Some(match mechanism.value {
            model::Mechanism::Plain => Sasl::Plain(login),
            model::Mechanism::ScramSha256 => Sasl::ScramSha256(login),
            model::Mechanism::ScramSha512 => Sasl::ScramSha512(login),
        })
    }
}
