//! One request and its answer, over a connection that is kept.

use std::error::Error as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue};
use reqwest::{RequestBuilder, Response, redirect, retry};

use super::deadline::{Deadline, Passed};
use super::failure::writes;
use super::packed;
use super::request::{Body, Request};
use super::tls;
use crate::class::Class;
use crate::code::codes;
use crate::error::Error;
use crate::options::ClientOptions;
use crate::secret::Secret;
use crate::usage::ApiUsage;

/// Salesforce ends connections that nobody uses: one that is about to end should not be taken for
/// the next call, whose outcome would then be unknown.
const IDLE: Duration = Duration::from_secs(30);
const KEEPALIVE: Duration = Duration::from_secs(15);

/// The connections to an org.
pub(crate) struct Transport {
    http: reqwest::Client,
    gzip: bool,
    usage: Mutex<Option<ApiUsage>>,
}

/// Where a request goes, and by whose leave.
#[derive(Clone, Copy)]
pub(crate) struct To<'a> {
    /// Such as `https://acme.my.salesforce.com`.
    pub(crate) base: &'a str,
    pub(crate) token: Option<&'a Secret>,
}

impl Transport {
    pub(crate) fn new(options: &ClientOptions) -> Result<Self, Error> {
        let encrypted = options.login_base()?.starts_with("https:");
        let tls =
            if encrypted { tls::config(&options.extra_roots) } else { tls::trusting_nobody() };
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls?)
            .user_agent(&options.user_agent)
            .connect_timeout(options.connect_timeout)
            .pool_idle_timeout(IDLE)
            .tcp_keepalive(KEEPALIVE)
            .gzip(options.gzip)
            // A redirect would carry the token to somebody else.
            .redirect(redirect::Policy::none())
            .referer(false)
            // Whether to try again is the caller's to say.
            .retry(retry::never())
            .build()
            .map_err(|error| Error::options_invalid(chain(&error)))?;
        Ok(Self { http, gzip: options.gzip, usage: Mutex::default() })
    }

    /// The newest usage that an answer told.
    pub(crate) fn usage(&self) -> Option<ApiUsage> {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request. The answer has begun when this returns, and any status is one.
    pub(crate) async fn send(
        &self,
        request: &Request,
        to: To<'_>,
        deadline: Deadline,
    ) -> Result<Response, Error> {
        let builder = self.begin(request, to)?;
        let builder = match &request.body {
            Body::Empty => builder,
            Body::Json(json) => {
                let builder = builder.header(CONTENT_TYPE, "application/json; charset=UTF-8");
                match self.gzip.then(|| packed::gzip(json)).flatten() {
                    Some(packed) => builder.header(CONTENT_ENCODING, "gzip").body(packed),
                    None => builder.body(json.clone()),
                }
            }
            Body::Csv(csv) => builder.header(CONTENT_TYPE, CSV).body(csv.clone()),
            Body::Form(form) => builder
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(form.expose().to_owned()),
        };
        self.run(request, builder, deadline).await
    }

    /// Sends a request whose body is made while it is sent.
    pub(crate) async fn send_stream(
        &self,
        request: &Request,
        to: To<'_>,
        body: reqwest::Body,
        deadline: Deadline,
    ) -> Result<Response, Error> {
        let builder = self.begin(request, to)?.header(CONTENT_TYPE, CSV).body(body);
        self.run(request, builder, deadline).await
    }

    fn begin(&self, request: &Request, to: To<'_>) -> Result<RequestBuilder, Error> {
        let url = format!("{}{}", to.base, request.path);
        let mut builder = self.http.request(request.method.into(), url);
        if let Some(token) = to.token {
            let mut value = HeaderValue::try_from(format!("Bearer {}", token.expose()))
                .map_err(|_| Error::unreadable("the access token cannot be sent in a header"))?;
            value.set_sensitive(true);
            builder = builder.header(AUTHORIZATION, value);
        }
        Ok(builder)
    }

    async fn run(
        &self,
        request: &Request,
        builder: RequestBuilder,
        deadline: Deadline,
    ) -> Result<Response, Error> {
        let sent = deadline.limit(builder.send()).await;
        let response = match sent {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(not_sent(&error, request)),
            Err(passed) => return Err(too_late(passed, request)),
        };
        let header = response.headers().get("sforce-limit-info");
        if let Some(usage) = header.and_then(|header| ApiUsage::parse(header.to_str().ok()?)) {
            *self.usage.lock().unwrap_or_else(PoisonError::into_inner) = Some(usage);
        }
        tracing::debug!(call = request.shown(), status = response.status().as_u16(), "answered");
        Ok(response)
    }
}

/// No BOM: Salesforce would take it for a part of the first column's name.
const CSV: &str = "text/csv; charset=UTF-8";

/// A deadline that has passed while the answer was waited for.
pub(crate) fn too_late(passed: Passed, request: &Request) -> Error {
    let message = format!("there was no answer within {:?}", passed.given);
    Error::new(Class::Transient, codes::TIMEOUT, message).ambiguous(writes(request))
}

/// The connection ended within the answer.
pub(crate) fn lost(error: &reqwest::Error) -> Error {
    let message = format!("the connection ended within the answer: {}", chain(error));
    Error::new(Class::Transient, codes::CONNECTION_LOST, message)
}

fn not_sent(error: &reqwest::Error, request: &Request) -> Error {
    if error.is_builder() {
        return Error::request_invalid(Class::Permanent, chain(error));
    }
    if error.is_connect() {
        let message = format!("no connection comes about, check the URL: {}", chain(error));
        return Error::new(Class::Transient, codes::UNREACHABLE, message);
    }
    let message = format!("the connection ended before an answer came: {}", chain(error));
    Error::new(Class::Transient, codes::CONNECTION_LOST, message).ambiguous(writes(request))
}

/// The causes of an error without its URL, which has the keys of records in it.
fn chain(error: &reqwest::Error) -> String {
    let mut causes: Vec<String> = Vec::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        // Some repeat what is below them.
        if causes.last().is_none_or(|last| !last.contains(&text)) {
            causes.push(text);
        }
        cause = error.source();
    }
    if causes.is_empty() { "no cause is known".to_owned() } else { causes.join(": ") }
}
