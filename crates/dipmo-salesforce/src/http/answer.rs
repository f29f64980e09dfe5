//! An answer that has come to its end.

use bytes::{Bytes, BytesMut};
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderName, RETRY_AFTER};
use serde::de::DeserializeOwned;

use super::retry_after;
use super::transport::lost;
use crate::clock;
use crate::error::Error;

/// More than Salesforce answers to any call that is read as a whole.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// An answer, whole.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Reads an answer to its end.
    pub(crate) async fn read(mut response: Response) -> Result<Self, Error> {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut body = BytesMut::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| lost(&error))? {
            if body.len() + chunk.len() > MOST_BYTES {
                return Err(Error::unreadable("the answer has no end").with_status(status));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Self { status, headers, body: body.freeze() })
    }

    /// The body as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body).map_err(|error| {
            // Only where it is wrong: the message of the parser may repeat what it read.
            let (line, column) = (error.line(), error.column());
            let what = if error.is_eof() { "ends too early" } else { "is not what was asked for" };
            let message = format!("the answer {what} (line {line}, column {column})");
            Error::unreadable(message).with_status(self.status)
        })
    }

    /// Whether a page for people came instead of an answer for programs.
    pub(crate) fn is_page(&self) -> bool {
        let content_type = self.header(&CONTENT_TYPE).unwrap_or_default();
        content_type.trim_start().to_ascii_lowercase().starts_with("text/html")
            || self.body.trim_ascii_start().starts_with(b"<")
    }

    /// How long Salesforce asks to be left alone.
    pub(crate) fn retry_after(&self) -> Option<std::time::Duration> {
        // A date is one of the clock that wrote it.
        let now = self.header(&DATE).and_then(retry_after::date).unwrap_or_else(clock::now);
        retry_after::parse(self.header(&RETRY_AFTER)?, now)
    }

    fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}
