//! A client of one org.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Response;
use tokio::time::Instant;

use crate::bulk::Bulk;
use crate::class::Class;
use crate::error::Error;
use crate::http::answer::Answer;
use crate::http::deadline::Deadline;
use crate::http::failure::{failure, writes};
use crate::http::request::Request;
use crate::http::transport::{To, Transport, too_late};
use crate::names::version_root;
use crate::options::ClientOptions;
use crate::session::{Session, Token};
use crate::usage::ApiUsage;

/// A client of one org. It is cheap to clone, and its clones share connections and session.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    options: ClientOptions,
    transport: Transport,
    session: Session,
}

impl Client {
    /// Makes a client. Nobody is asked for anything before its first call.
    ///
    /// # Errors
    ///
    /// Options that cannot be used, with the name of the option.
    pub fn new(options: ClientOptions) -> Result<Self, Error> {
        options.check()?;
        let transport = Transport::new(&options)?;
        let session = Session::new(&options)?;
        Ok(Self { inner: Arc::new(Inner { options, transport, session }) })
    }

    /// Logs in now rather than with the first call. A session that there is already stays.
    ///
    /// # Errors
    ///
    /// The login is refused, or nobody answers.
    pub async fn login(&self) -> Result<(), Error> {
        let deadline = Deadline::after(self.call_timeout());
        self.token(deadline).await.map(|_| ())
    }

    /// How much of the org's requests is used, as the newest answer told.
    #[must_use]
    pub fn usage(&self) -> Option<ApiUsage> {
        self.inner.transport.usage()
    }

    /// How long a call may last. What was not answered by then is not waited for any more.
    #[must_use]
    pub fn call_timeout(&self) -> Duration {
        self.inner.options.call_timeout
    }

    /// How long an upload or a download may last.
    #[must_use]
    pub fn transfer_timeout(&self) -> Duration {
        self.inner.options.transfer_timeout
    }

    /// The version of the API, such as `62.0`.
    #[must_use]
    pub fn api_version(&self) -> &str {
        &self.inner.options.api_version
    }

    /// Jobs of Bulk API 2.0.
    #[must_use]
    pub fn bulk(&self) -> Bulk<'_> {
        Bulk::new(self)
    }

    /// `/services/data/vXX.X` and what comes behind it.
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("{}{rest}", version_root(self.api_version()))
    }

    /// A call, from the login to the end of its answer. Only a success is an answer.
    pub(crate) async fn call(&self, request: &Request) -> Result<Answer, Error> {
        self.call_by(request, Deadline::after(self.call_timeout())).await
    }

    pub(crate) async fn call_by(
        &self,
        request: &Request,
        deadline: Deadline,
    ) -> Result<Answer, Error> {
        let response = self.open(request, deadline).await?;
        self.read(request, response, deadline).await.map_err(|error| error.at(&request.shown()))
    }

    /// A call up to where its answer begins, with another login if the session has ended.
    pub(crate) async fn open(
        &self,
        request: &Request,
        deadline: Deadline,
    ) -> Result<Response, Error> {
        let mut token = self.token(deadline).await?;
        let mut is_new = false;
        loop {
            let refused = match self.attempt(request, &token, deadline).await? {
                Ok(response) => return Ok(response),
                Err(refused) => refused,
            };
            // The second refusal in a row stands.
            if is_new || !session_has_ended(&refused) {
                return Err(refused);
            }
            tracing::debug!(call = request.shown(), "the session has ended");
            let refused_at = Instant::now();
            let session = &self.inner.session;
            token = session.renew(Some(&token), &self.inner.transport, deadline).await?;
            // Another call may have logged in a while ago, and that session have ended, too.
            is_new = token.since >= refused_at;
        }
    }

    /// The token of the session, after a login if there is none.
    pub(crate) async fn token(&self, deadline: Deadline) -> Result<Arc<Token>, Error> {
        self.inner.session.token(&self.inner.transport, deadline).await
    }

    pub(crate) fn forget(&self, token: &Arc<Token>) {
        self.inner.session.forget(token);
    }

    pub(crate) fn transport(&self) -> &Transport {
        &self.inner.transport
    }

    /// Sends a request once. The inner result is what Salesforce says.
    async fn attempt(
        &self,
        request: &Request,
        token: &Token,
        deadline: Deadline,
    ) -> Result<Result<Response, Error>, Error> {
        let to = To { base: &token.instance, token: Some(&token.access) };
        let sent = self.inner.transport.send(request, to, deadline).await;
        let response = sent.map_err(|error| error.at(&request.shown()))?;
        self.judge(request, response, token, deadline).await
    }

    /// Tells a success from a refusal, which is read to its end.
    pub(crate) async fn judge(
        &self,
        request: &Request,
        response: Response,
        token: &Token,
        deadline: Deadline,
    ) -> Result<Result<Response, Error>, Error> {
        if response.status().is_success() {
            return Ok(Ok(response));
        }
        let place = request.shown();
        let read = self.read(request, response, deadline).await;
        let answer = read.map_err(|error| error.at(&place))?;
        let refused = failure(request, &answer).map_text(|text| token.access.strike(text));
        Ok(Err(refused.at(&place)))
    }

    async fn read(
        &self,
        request: &Request,
        response: Response,
        deadline: Deadline,
    ) -> Result<Answer, Error> {
        match deadline.limit(Answer::read(response)).await {
            Ok(read) => read.map_err(|error| error.ambiguous(writes(request))),
            Err(passed) => Err(too_late(passed, request)),
        }
    }
}

/// Whether another login may help: a session that is not meant for REST will not be by another one.
fn session_has_ended(refused: &Error) -> bool {
    refused.class() == Class::Unauthorized
        && refused.status() == Some(401)
        && !refused.message().contains("not valid for use with the REST API")
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("options", &self.inner.options).finish_non_exhaustive()
    }
}
