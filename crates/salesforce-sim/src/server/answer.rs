//! What a call is answered with, before it becomes HTTP.

use std::io;

use bytes::Bytes;
use serde_json::{Value as Json, json};

use crate::data::request::DataAnswer;
use crate::refusal::Refusal;

/// Pieces of a body that is made while the client reads it.
pub(crate) type Chunks = Box<dyn Iterator<Item = io::Result<Bytes>> + Send>;

/// An answer to one call.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Body,
    /// Headers beyond those that every answer has.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// How many records the call was about, for the log.
    pub(crate) rows: u64,
}

/// The body of an answer.
pub(crate) enum Body {
    Empty,
    Json(Json),
    Text { content_type: &'static str, text: Bytes },
    Stream { content_type: &'static str, chunks: Chunks },
}

impl Body {
    /// All of it, for those who read it here.
    pub(crate) fn collect(self) -> io::Result<Vec<u8>> {
        Ok(match self {
            Body::Empty => Vec::new(),
            Body::Json(json) => json.to_string().into_bytes(),
            Body::Text { text, .. } => text.to_vec(),
            Body::Stream { chunks, .. } => chunks.collect::<io::Result<Vec<Bytes>>>()?.concat(),
        })
    }
}

pub(crate) const HTML: &str = "text/html;charset=UTF-8";
pub(crate) const JSON: &str = "application/json;charset=UTF-8";

impl Answer {
    fn new(status: u16, body: Body) -> Self {
        Answer { status, body, headers: Vec::new(), rows: 0 }
    }

    pub(crate) fn json(status: u16, body: Json) -> Self {
        Answer::new(status, Body::Json(body))
    }

    pub(crate) fn empty(status: u16) -> Self {
        Answer::new(status, Body::Empty)
    }

    pub(crate) fn html(status: u16, text: impl Into<Bytes>) -> Self {
        Answer::new(status, Body::Text { content_type: HTML, text: text.into() })
    }

    pub(crate) fn stream(status: u16, content_type: &'static str, chunks: Chunks) -> Self {
        Answer::new(status, Body::Stream { content_type, chunks })
    }

    /// The same with one more header.
    pub(crate) fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Whether it has no body, so that nothing of it can be cut.
    pub(crate) fn is_empty(&self) -> bool {
        match &self.body {
            Body::Empty => true,
            Body::Text { text, .. } => text.is_empty(),
            Body::Json(_) | Body::Stream { .. } => false,
        }
    }

    /// An error of the token endpoint, which has a shape of its own.
    pub(crate) fn oauth_error(error: &str, description: &str) -> Self {
        Answer::json(400, json!({ "error": error, "error_description": description }))
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        DataAnswer::from(refusal).into()
    }
}

impl From<DataAnswer> for Answer {
    fn from(answer: DataAnswer) -> Self {
        let body = answer.body.map_or(Body::Empty, Body::Json);
        let headers = answer.location.into_iter().map(|url| ("location", url)).collect();
        Answer { status: answer.status, body, headers, rows: 0 }
    }
}
