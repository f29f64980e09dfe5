//! The calls about jobs.

use bytes::Bytes;
use futures_util::Stream;
use serde_json::json;

use super::job::BulkJob;
use super::results::{BulkResults, ResultRows};
use super::spec::BulkSpec;
use super::upload;
use crate::client::Client;
use crate::error::Error;
use crate::http::answer::Answer;
use crate::http::deadline::Deadline;
use crate::http::failure::writes;
use crate::http::request::{About, Body, Request};
use crate::method::Method;
use crate::names::name;

/// Jobs of an org.
///
/// A call about a job that Salesforce does not know any more fails with
/// [`Class::Unprocessed`](crate::Class::Unprocessed): what was in it is to be sent again.
#[derive(Clone, Copy, Debug)]
pub struct Bulk<'a> {
    client: &'a Client,
}

impl<'a> Bulk<'a> {
    pub(crate) fn new(client: &'a Client) -> Self {
        Self { client }
    }

    /// Makes a job, which then waits for its data.
    ///
    /// # Errors
    ///
    /// See [`Error::class`]. An object or an external id that does not exist is
    /// [`Class::Misconfigured`](crate::Class::Misconfigured).
    pub async fn create(&self, spec: &BulkSpec) -> Result<BulkJob, Error> {
        let path = self.client.path("/jobs/ingest");
        let body = Body::json(&spec.body())?;
        self.job_of(&Request::new(Method::Post, path, body, About::Whole)).await
    }

    /// Gives a job its data while they are made: nothing of them is kept, so that they cannot be
    /// sent again.
    ///
    /// # Errors
    ///
    /// See [`Error::class`]. A session that ended is
    /// [`Class::Transient`](crate::Class::Transient) with the code `INVALID_SESSION_ID`: abort the
    /// job and begin with another. So is a source that broke off
    /// ([`codes::UPLOAD_BROKEN_OFF`](crate::codes::UPLOAD_BROKEN_OFF)).
    pub async fn upload<S, E>(&self, id: &str, csv: S) -> Result<(), Error>
    where
        S: Stream<Item = Result<Bytes, E>> + Send,
        E: std::fmt::Display + Send,
    {
        let request = self.request(Method::Put, id, "/batches", Body::Empty)?;
        upload::stream(self.client, &request, csv).await
    }

    /// Gives a job its data. They are sent again if the session has ended.
    ///
    /// # Errors
    ///
    /// See [`Error::class`].
    pub async fn upload_bytes(&self, id: &str, csv: Bytes) -> Result<(), Error> {
        let request = self.request(Method::Put, id, "/batches", Body::Csv(csv))?;
        let deadline = Deadline::after(self.client.transfer_timeout());
        self.client.call_by(&request, deadline).await.map(|_| ())
    }

    /// Tells that a job has all its data, and is to be worked on. A job that was told so before is
    /// returned as it is: this can be repeated.
    ///
    /// # Errors
    ///
    /// See [`Error::class`].
    pub async fn close(&self, id: &str) -> Result<BulkJob, Error> {
        self.change(id, "UploadComplete").await
    }

    /// Ends a job; rows that were worked on stay as they are. A job that is over is returned as it
    /// is: this can be repeated.
    ///
    /// # Errors
    ///
    /// See [`Error::class`].
    pub async fn abort(&self, id: &str) -> Result<BulkJob, Error> {
        self.change(id, "Aborted").await
    }

    /// Asks where a job stands.
    ///
    /// # Errors
    ///
    /// See [`Error::class`].
    pub async fn info(&self, id: &str) -> Result<BulkJob, Error> {
        self.job_of(&self.request(Method::Get, id, "", Body::Empty)?).await
    }

    /// Removes a job that is over. One that is not there is removed.
    ///
    /// # Errors
    ///
    /// See [`Error::class`].
    pub async fn delete(&self, id: &str) -> Result<(), Error> {
        match self.client.call(&self.request(Method::Delete, id, "", Body::Empty)?).await {
            Err(error) if error.status() == Some(404) => Ok(()),
            other => other.map(|_| ()),
        }
    }

    /// Begins to read one of the three files of results. All three must be read: a row is in one of
    /// them, and one that is in none was not looked at.
    ///
    /// # Errors
    ///
    /// See [`Error::class`].
    pub async fn results(&self, id: &str, which: BulkResults) -> Result<ResultRows, Error> {
        let request = self.request(Method::Get, id, which.path(), Body::Empty)?;
        let deadline = Deadline::after(self.client.call_timeout());
        let response = self.client.open(&request, deadline).await?;
        Ok(ResultRows::new(response, request.shown(), self.client.transfer_timeout()))
    }

    async fn change(&self, id: &str, state: &str) -> Result<BulkJob, Error> {
        let body = Body::json(&json!({ "state": state }))?;
        match self.job_of(&self.request(Method::Patch, id, "", body)?).await {
            // It is there already, or past it: perhaps by a call of ours whose answer was lost.
            Err(error) if error.code() == "INVALIDJOBSTATE" => self.info(id).await,
            other => other,
        }
    }

    async fn job_of(&self, request: &Request) -> Result<BulkJob, Error> {
        let answer: Answer = self.client.call(request).await?;
        answer.json().map_err(|error| error.ambiguous(writes(request)).at(&request.shown()))
    }

    fn request(&self, method: Method, id: &str, rest: &str, body: Body) -> Result<Request, Error> {
        let path = self.client.path(&format!("/jobs/ingest/{}{rest}", name("a job", id)?));
        Ok(Request::new(method, path, body, About::Job))
    }
}
