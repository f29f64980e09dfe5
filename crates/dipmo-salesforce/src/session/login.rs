//! `POST /services/oauth2/token`: a session for client credentials or for an assertion.

use serde::Deserialize;
use tokio::time::Instant;

use super::jwt::{Claims, assertion, default_audience};
use super::key::Key;
use super::{Token, form};
use crate::class::Class;
use crate::clock;
use crate::code::codes;
use crate::error::Error;
use crate::http::answer::Answer;
use crate::http::deadline::{Deadline, Passed};
use crate::http::failure::failure;
use crate::http::request::{About, Body, Request};
use crate::http::transport::{To, Transport, too_late};
use crate::method::Method;
use crate::options::{Auth, ClientOptions, base_url};
use crate::secret::Secret;

const PATH: &str = "/services/oauth2/token";
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// How to log in.
pub(crate) struct Login {
    base: String,
    grant: Grant,
}

enum Grant {
    ClientCredentials { client_id: String, client_secret: Secret },
    Jwt { client_id: String, username: String, audience: String, key: Box<Key> },
}

/// What the endpoint answers. There is no `expires_in`: a session lives as long as it is used.
#[derive(Deserialize)]
struct Granted {
    access_token: String,
    instance_url: String,
}

impl Login {
    pub(crate) fn new(options: &ClientOptions) -> Result<Self, Error> {
        let base = options.login_base()?;
        let grant = match options.auth.clone() {
            Auth::ClientCredentials { client_id, client_secret } => {
                Grant::ClientCredentials { client_id, client_secret }
            }
            Auth::Jwt { client_id, username, audience, private_key } => {
                let audience = audience.unwrap_or_else(|| default_audience(&base).to_owned());
                let key = Box::new(Key::from_pem(&private_key)?);
                Grant::Jwt { client_id, username, audience, key }
            }
        };
        Ok(Self { base, grant })
    }

    /// Logs in, once.
    pub(crate) async fn run(
        &self,
        transport: &Transport,
        deadline: Deadline,
    ) -> Result<Token, Error> {
        let (form, secret) = self.form()?;
        let request = request(Body::Form(form));
        let token = self.ask(&request, transport, deadline).await.map_err(|error| {
            // Who answers may not be Salesforce, and repeat what it was sent.
            error.map_text(|text| secret.strike(text)).at(&request.shown())
        })?;
        tracing::info!(instance = token.instance, "logged in to Salesforce");
        Ok(token)
    }

    /// The error of a login that was not even begun in time.
    pub(crate) fn too_late(&self, passed: Passed) -> Error {
        let request = request(Body::Empty);
        too_late(passed, &request).at(&request.shown())
    }

    /// What is sent, and what is secret of it.
    fn form(&self) -> Result<(Secret, Secret), Error> {
        match &self.grant {
            Grant::ClientCredentials { client_id, client_secret } => {
                let form = form::encode(&[
                    ("grant_type", "client_credentials"),
                    ("client_id", client_id),
                    ("client_secret", client_secret.expose()),
                ]);
                Ok((form, client_secret.clone()))
            }
            Grant::Jwt { client_id, username, audience, key } => {
                let claims = Claims { client_id, username, audience };
                let assertion = assertion(&claims, key, clock::now())?;
                let form =
                    form::encode(&[("grant_type", JWT_BEARER), ("assertion", assertion.expose())]);
                Ok((form, assertion))
            }
        }
    }

    async fn ask(
        &self,
        request: &Request,
        transport: &Transport,
        deadline: Deadline,
    ) -> Result<Token, Error> {
        let to = To { base: &self.base, token: None };
        let response = transport.send(request, to, deadline).await?;
        let answer = deadline.limit(Answer::read(response)).await;
        let answer = answer.map_err(|passed| too_late(passed, request))??;
        if answer.status != 200 {
            return Err(failure(request, &answer));
        }
        // A host that answers pages is told by them, not by where the parser stopped.
        let granted: Granted = answer
            .json()
            .map_err(|error| if answer.is_page() { failure(request, &answer) } else { error })?;
        self.token(granted)
    }

    fn token(&self, granted: Granted) -> Result<Token, Error> {
        let wrong = |problem: String| Error::new(Class::Misconfigured, codes::WRONG_URL, problem);
        let instance = base_url(&granted.instance_url)
            .map_err(|problem| wrong(format!("the instance_url of the login {problem}")))?;
        if self.base.starts_with("https:") && !instance.starts_with("https:") {
            let problem = "the instance_url of the login is not encrypted, but login_url is";
            return Err(wrong(problem.to_owned()));
        }
        let access = Secret::new(granted.access_token);
        Ok(Token { access, instance, since: Instant::now() })
    }
}

fn request(body: Body) -> Request {
    Request::new(Method::Post, PATH.to_owned(), body, About::Login)
}
