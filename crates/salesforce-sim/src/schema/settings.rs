//! The org around the data: who may log in, what is limited, how long things take.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use super::SchemaError;
use super::distribution::{Distribution, DistributionPart};
use super::suggest::did_you_mean;
use crate::org::id::IdText;
use crate::server::api::Api;
use crate::span::Span;

/// The org itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OrgSettings {
    /// An 18-character id with the prefix 00D; one is made if the file gives none.
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    /// Such as `CS1`.
    pub(crate) instance: String,
    pub(crate) organization_type: String,
    pub(crate) sandbox: bool,
    /// Whether bulk jobs may delete for good.
    pub(crate) hard_delete: bool,
    pub(crate) users: Vec<User>,
    pub(crate) apps: Vec<App>,
}

/// Somebody who can log in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct User {
    /// An 18-character id with the prefix 005; one is made if the file gives none.
    pub(crate) id: Option<String>,
    pub(crate) username: String,
    #[serde(default)]
    pub(crate) first_name: Option<String>,
    #[serde(default = "last_name")]
    pub(crate) last_name: String,
    /// Defaults to the username.
    #[serde(default)]
    pub(crate) email: Option<String>,
    /// Access tokens that are valid without a login, such as `00D…!fixed`.
    #[serde(default)]
    pub(crate) tokens: Vec<String>,
}

fn last_name() -> String {
    "User".to_owned()
}

/// A connected app: a program that logs in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct App {
    pub(crate) client_id: String,
    #[serde(default)]
    pub(crate) client_secret: Option<String>,
    /// PEM, or in the file the path of one.
    #[serde(default)]
    pub(crate) certificate: Option<String>,
    /// The username on whose behalf client credentials work.
    #[serde(default)]
    pub(crate) user: Option<String>,
    #[serde(default)]
    pub(crate) refresh_tokens: Vec<String>,
}

impl Default for OrgSettings {
    fn default() -> Self {
        OrgSettings {
            id: None,
            name: "Simulated".to_owned(),
            instance: "CS1".to_owned(),
            organization_type: "Developer Edition".to_owned(),
            sandbox: false,
            hard_delete: false,
            users: Vec::new(),
            apps: Vec::new(),
        }
    }
}

impl OrgSettings {
    /// Puts the text of a certificate in the place of its file's name, and fills in who is missing.
    pub(super) fn complete(&mut self, folder: &Path) -> Result<(), SchemaError> {
        if self.users.is_empty() {
            self.users.push(User {
                id: None,
                username: "integration@example.com".to_owned(),
                first_name: Some("Integration".to_owned()),
                last_name: last_name(),
                email: None,
                tokens: Vec::new(),
            });
        }
        if self.apps.is_empty() {
            // Without a file a client can still log in.
            self.apps.push(App {
                client_id: "client".to_owned(),
                client_secret: Some("secret".to_owned()),
                certificate: None,
                user: self.users.first().map(|user| user.username.clone()),
                refresh_tokens: Vec::new(),
            });
        }
        self.check_ids()?;
        for app in &mut self.apps {
            if let Some(user) = &app.user
                && !self.users.iter().any(|known| known.username == *user)
            {
                let place = format!("org.apps {}", app.client_id);
                return Err(SchemaError::meaning(
                    place,
                    format!("no user has the username {user:?}"),
                ));
            }
            if let Some(certificate) = &mut app.certificate
                && !certificate.contains("-----BEGIN")
            {
                let path = folder.join(&*certificate);
                *certificate = std::fs::read_to_string(&path)
                    .map_err(|source| SchemaError::Read { path, source })?;
            }
        }
        Ok(())
    }
}

impl OrgSettings {
    fn check_ids(&self) -> Result<(), SchemaError> {
        let users = self.users.iter().map(|user| ("005", &user.id));
        for (prefix, id) in users.chain([("00D", &self.id)]) {
            if let Some(id) = id
                && !(id.starts_with(prefix) && IdText::parse(id).is_some())
            {
                let problem = format!(
                    "{id:?} is no id that begins with {prefix} and has 15 or 18 characters"
                );
                return Err(SchemaError::meaning("org", problem));
            }
        }
        Ok(())
    }
}

/// What is limited.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Limits {
    /// Calls in 24 hours.
    pub(crate) daily_requests: u64,
    /// Batches of 10,000 rows in 24 hours.
    pub(crate) bulk_batches: u64,
    /// Calls at once that take longer than `long_after`.
    pub(crate) concurrent_long: u32,
    pub(crate) long_after: Duration,
    /// How long a session lives without being used.
    pub(crate) session: Duration,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LimitsPart {
    daily_requests: Option<u64>,
    bulk_batches: Option<u64>,
    concurrent_long: Option<u32>,
    long_after: Option<Span>,
    session: Option<Span>,
}

impl LimitsPart {
    pub(super) fn build(&self) -> Limits {
        let span = |given: Option<Span>, default| given.map_or(default, |Span(length)| length);
        Limits {
            daily_requests: self.daily_requests.unwrap_or(100_000),
            bulk_batches: self.bulk_batches.unwrap_or(15_000),
            concurrent_long: self.concurrent_long.unwrap_or(25),
            long_after: span(self.long_after, Duration::from_secs(20)),
            session: span(self.session, Duration::from_secs(2 * 60 * 60)),
        }
    }
}

/// How long the APIs take.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latency(BTreeMap<String, Distribution>);

/// What the latency of a bulk job's work is called.
const JOB_WORK: [&str; 2] = ["bulk.batch", "bulk.queue"];

impl Latency {
    /// The distribution of an API such as `bulk.poll`: its own, else that of its family, which is
    /// `bulk` or `rest`, else none.
    pub(crate) fn of(&self, api: &str) -> &Distribution {
        let family = if api.starts_with("bulk.") { "bulk" } else { "rest" };
        let found = [api, family].into_iter().find_map(|name| self.0.get(name));
        found.unwrap_or(&Distribution::NONE)
    }

    pub(super) fn build(parts: &BTreeMap<String, DistributionPart>) -> Result<Self, SchemaError> {
        let apis = Api::ALL.map(Api::name);
        let known = || apis.into_iter().chain(JOB_WORK).chain(["bulk", "rest"]);
        let build = |(name, part): (&String, &DistributionPart)| {
            let place = || format!("latency.{name}");
            if !known().any(|known| known == name) {
                let hint = did_you_mean(name, known());
                return Err(SchemaError::meaning(place(), format!("there is no such API{hint}")));
            }
            let distribution = part.build();
            let distribution =
                distribution.map_err(|problem| SchemaError::meaning(place(), problem));
            Ok((name.clone(), distribution?))
        };
        parts.iter().map(build).collect::<Result<_, _>>().map(Latency)
    }
}

/// How row locks behave.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Locks {
    /// How long a write keeps its rows locked after it was applied.
    pub(crate) hold: Distribution,
    /// How long a write waits for a lock before it is refused.
    pub(crate) wait: Duration,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LocksPart {
    hold: Option<DistributionPart>,
    wait: Option<Span>,
}

impl LocksPart {
    pub(super) fn build(&self) -> Result<Locks, SchemaError> {
        let hold = self.hold.as_ref().map_or(Ok(Distribution::NONE), DistributionPart::build);
        Ok(Locks {
            hold: hold.map_err(|problem| SchemaError::meaning("locks.hold", problem))?,
            wait: self.wait.map_or(Duration::from_secs(10), |Span(length)| length),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Schema;
    use super::*;

    #[test]
    fn a_latency_is_its_own_or_that_of_its_family() {
        let text = "latency: {rest: {fixed: 1ms}, query: {fixed: 2ms}, bulk.batch: {fixed: 3ms}}";
        let latency = Schema::parse(text).unwrap().latency;
        for (api, milliseconds) in
            [("query", 2), ("sobject", 1), ("bulk.batch", 3), ("bulk.poll", 0)]
        {
            let expected = Distribution::Fixed(Duration::from_millis(milliseconds));
            assert_eq!(*latency.of(api), expected, "{api}");
        }
    }

    #[test]
    fn a_certificate_is_read_from_the_folder_of_the_schema() {
        let folder = tempfile::tempdir().unwrap();
        let schema = folder.path().join("schema.yaml");
        fs::write(&schema, "org: {apps: [{client_id: a, certificate: a.pem}]}").unwrap();
        let error = Schema::load(&schema).unwrap_err().to_string();
        assert!(error.contains("a.pem: "), "{error}");
        let pem = "-----BEGIN CERTIFICATE-----";
        fs::write(folder.path().join("a.pem"), pem).unwrap();
        let apps = Schema::load(&schema).unwrap().org.apps;
        assert_eq!(apps[0].certificate.as_deref(), Some(pem));
    }
}
