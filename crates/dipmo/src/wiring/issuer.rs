//! The issuer of tokens for operators: what its tokens must say, and how it is asked for its keys.
//!
//! **Invariant:** an issuer is asked over TLS, or on this machine; it is waited for so long, and so much of what it answers is read.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use dipmo_admin::{Claim, KeySource, KeysError, Oidc, OidcOptions, Role};
use dipmo_config::model::admin as model;
use dipmo_config::{Place, Problems, Template};
use dipmo_domain::Timestamp;
use reqwest::header::ACCEPT;
use reqwest::{Client, StatusCode, Url, redirect};
use serde::Deserialize;

use super::outside::{cause, is_here, tls};
use super::problem::{invalid, missing};

/// Where an issuer tells about itself.
const ABOUT: &str = "/.well-known/openid-configuration";
/// How long a connection may take to come about, and an answer to come.
const TO_CONNECT: Duration = Duration::from_secs(5);
const TO_ANSWER: Duration = Duration::from_secs(8);
/// So much of an answer is read; those of large issuers have 20 kB.
const MOST_BYTES: usize = 256 << 10;

/// An issuer that nobody has asked yet.
#[derive(Clone, Debug)]
pub(super) struct IssuerPlan {
    options: OidcOptions,
    /// As it was written.
    written: String,
    jwks: Option<Url>,
    /// Where the issuer stands.
    pub(super) place: Place,
}

/// What is known of an issuer. `None` after a problem.
pub(super) fn plan(oidc: &model::Oidc, problems: &mut Problems) -> Option<IssuerPlan> {
    let model::Oidc { place: _, issuer, audience, jwks, clients, roles, name } = oidc;
    let before = problems.len();
    address(issuer, problems);
    let jwks = jwks.as_ref().and_then(|jwks| address(jwks, problems));
    let model::OidcRoles { place, claim, viewer, operator, admin } = roles;
    let given = [(viewer, Role::Viewer), (operator, Role::Operator), (admin, Role::Admin)];
    let roles: Vec<(String, Role)> = given
        .into_iter()
        .flat_map(|(values, role)| values.iter().map(move |it| (it.expose().to_owned(), role)))
        .collect();
    if roles.is_empty() {
        let message = "no value of the claim gives a role: nobody could come in";
        problems.push(missing(*place, message).hint("add `viewer`, `operator` or `admin`"));
    }
    for said in [audience, claim].into_iter().chain(name).filter(|it| it.expose().is_empty()) {
        problems.push(invalid(said.place, "this says nothing"));
    }
    let options = OidcOptions {
        issuer: issuer.expose().to_owned(),
        audience: audience.expose().to_owned(),
        clients: clients.iter().map(|it| it.expose().to_owned()).collect(),
        role_claim: Claim::new(claim.expose()),
        roles,
        name_claim: name.as_ref().map(|name| Claim::new(name.expose())),
    };
    let (written, place) = (issuer.to_string(), issuer.place);
    (problems.len() == before).then_some(IssuerPlan { options, written, jwks, place })
}

/// A URL that may be asked. `None` after a problem.
fn address(written: &Template, problems: &mut Problems) -> Option<Url> {
    let url = Url::parse(written.expose()).ok().filter(may_be_asked);
    if url.is_none() {
        let message = format!("`{written}` is no address that keys could come from");
        let hint = "write a URL that begins with https://, without a login in it";
        problems.push(invalid(written.place, message).hint(hint));
    }
    url
}

/// Keys that somebody on the way could change would be good for nothing.
fn may_be_asked(url: &Url) -> bool {
    let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_here(url));
    is_safe && url.has_host() && url.username().is_empty() && url.password().is_none()
}

impl IssuerPlan {
    /// The issuer, before anybody asks it.
    pub(super) fn oidc(&self) -> Arc<Oidc> {
        let asking = Asking { plan: self.clone(), http: OnceLock::new() };
        Oidc::new(self.options.clone(), Arc::new(asking), now)
    }
}

/// Now, by the clock of this machine: the issuer has no other to compare with.
#[expect(
    clippy::disallowed_methods,
    reason = "until when a token is good is told by the clock of its issuer"
)]
fn now() -> Timestamp {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::EPOCH.after(since_1970)
}

/// Asks an issuer for its keys.
struct Asking {
    plan: IssuerPlan,
    /// Made when it is needed first: who only looks into the database needs none.
    http: OnceLock<Result<Client, String>>,
}

/// What is read of what an issuer tells about itself.
#[derive(Deserialize)]
struct About {
    issuer: String,
    jwks_uri: String,
}

#[async_trait]
impl KeySource for Asking {
    fn issuer(&self) -> &str {
        &self.plan.written
    }

    async fn keys(&self) -> Result<Vec<u8>, KeysError> {
        let keys = match &self.plan.jwks {
            Some(jwks) => self.get(jwks).await,
            None => match self.discover().await {
                Ok(jwks) => self.get(&jwks).await,
                Err(problem) => Err(problem),
            },
        };
        keys.map_err(|problem| KeysError { issuer: self.issuer().to_owned(), problem })
    }
}

impl Asking {
    /// Where the issuer says that its keys are.
    async fn discover(&self) -> Result<Url, String> {
        let issuer = &self.plan.options.issuer;
        let about = format!("{}{ABOUT}", issuer.trim_end_matches('/'));
        let about = Url::parse(&about).map_err(|_| "its address is none".to_owned())?;
        let about = self.get(&about).await?;
        let About { issuer: named, jwks_uri } = serde_json::from_slice(&about)
            .map_err(|_| format!("what is under {ABOUT} tells about no issuer"))?;
        if named != *issuer {
            return Err(format!("what is under {ABOUT} tells about another issuer"));
        }
        let keys = Url::parse(&jwks_uri).ok().filter(may_be_asked);
        keys.ok_or_else(|| "it says that its keys are where they would not be safe".to_owned())
    }

    async fn get(&self, url: &Url) -> Result<Vec<u8>, String> {
        let http = self.http.get_or_init(|| client(&self.plan)).as_ref().map_err(Clone::clone)?;
        let asked = http.get(url.clone()).header(ACCEPT, "application/json").send().await;
        let mut answer = asked.map_err(|error| cause(&error))?;
        if answer.status() != StatusCode::OK {
            return Err(format!("it answers with the status {}", answer.status().as_u16()));
        }
        let mut read = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(|error| cause(&error))? {
            if read.len() + part.len() > MOST_BYTES {
                return Err(format!("its answer is longer than {MOST_BYTES} bytes"));
            }
            read.extend_from_slice(&part);
        }
        Ok(read)
    }
}

fn client(plan: &IssuerPlan) -> Result<Client, String> {
    let addresses = [Some(plan.options.issuer.as_str()), plan.jwks.as_ref().map(Url::as_str)];
    let is_encrypted = addresses.into_iter().flatten().any(|url| url.starts_with("https:"));
    let tls = tls(is_encrypted).map_err(|error| format!("TLS cannot be had: {error}"))?;
    let builder = Client::builder();
    // A proxy is for what is elsewhere.
    let builder = if is_encrypted { builder } else { builder.no_proxy() };
    builder
        .tls_backend_preconfigured(tls)
        .user_agent(concat!("dipmo/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(TO_CONNECT)
        .timeout(TO_ANSWER)
        // Whoever is named elsewhere is somebody else.
        .redirect(redirect::Policy::none())
        .build()
        .map_err(|error| format!("no client can be had: {}", cause(&error)))
}
