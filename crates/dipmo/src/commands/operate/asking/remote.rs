//! Asks a server over HTTP.
//!
//! **Invariant:** a token is in no argument, print or error, and follows no redirect.

use std::time::Duration;

use dipmo::wiring::outside::{cause, tls};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, redirect};

use super::answer::Answer;
use super::refused::{Refused, Where};
use super::request::Request;
use super::server::Server;

/// How long a connection may take to come about.
const TO_CONNECT: Duration = Duration::from_secs(10);
/// How long an answer may take: longer than the server lets itself.
const TO_ANSWER: Duration = Duration::from_secs(60);

/// A server, and by whose leave it is asked.
pub(crate) struct Remote {
    http: Client,
    server: Server,
    leave: Option<HeaderValue>,
}

impl Remote {
    /// Nobody is asked yet.
    pub(crate) fn new(server: &Server, token: Option<&str>) -> Result<Self, Refused> {
        let leave = token.map(|token| {
            let mut leave = HeaderValue::try_from(format!("Bearer {token}")).map_err(|_| {
                Refused::wrong(
                    "the token has signs in it that no token has",
                    "a token is one line, as `dipmo token make` printed it",
                )
            })?;
            leave.set_sensitive(true);
            Ok::<_, Refused>(leave)
        });
        let unable =
            |problem: String| Refused::wrong(problem, "do the certificates of this system exist?");
        let tls = tls(server.is_encrypted())
            .map_err(|error| unable(format!("TLS cannot be had: {error}")))?;
        let http = Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(concat!("dipmo/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(TO_CONNECT)
            .timeout(TO_ANSWER)
            // A proxy would hear the token where the server has no TLS.
            .no_proxy()
            // A redirect would carry the token to somebody else.
            .redirect(redirect::Policy::none())
            .build()
            .map_err(|error| unable(format!("no client can be had: {}", cause(&error))))?;
        Ok(Self { http, server: server.clone(), leave: leave.transpose()? })
    }

    /// Where it asks.
    pub(crate) fn at(&self) -> Where {
        Where::Server(self.server.to_string())
    }

    /// Asks once.
    pub(crate) async fn ask(&self, request: &Request) -> Result<Answer, Refused> {
        let unreachable =
            |error: reqwest::Error| Refused::Unreachable { problem: cause(&error), at: self.at() };
        let url = format!("{}{}", self.server, request.path);
        let mut builder = self.http.request(request.method.clone(), url);
        builder = builder.header(ACCEPT, "application/json, application/problem+json");
        if let Some(leave) = &self.leave {
            builder = builder.header(AUTHORIZATION, leave.clone());
        }
        if let Some(body) = &request.body {
            builder = builder.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        let response = builder.send().await.map_err(unreachable)?;
        let status = response.status().as_u16();
        let body = response.bytes().await.map_err(unreachable)?.to_vec();
        Ok(Answer { status, body })
    }
}
