//! A request that can be sent again.

use bytes::Bytes;
use serde::Serialize;

use crate::class::Class;
use crate::error::Error;
use crate::method::Method;
use crate::secret::Secret;

/// A request. Its body is in memory, so that it can be repeated after a new login.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// Below the instance, with what is secret or personal in it.
    pub(crate) path: String,
    /// The same for people.
    pub(crate) place: String,
    pub(crate) body: Body,
    pub(crate) about: About,
}

/// What is sent.
#[derive(Clone)]
pub(crate) enum Body {
    Empty,
    Json(Bytes),
    Csv(Bytes),
    /// What a login sends.
    Form(Secret),
}

/// What a call is about, which decides who is to blame when it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// A login.
    Login,
    /// One record.
    Record,
    /// Several records, or none: what refuses the whole call is nobody's fault.
    Whole,
    /// A job that was made before.
    Job,
}

impl Request {
    pub(crate) fn get(path: String, about: About) -> Self {
        Self::new(Method::Get, path, Body::Empty, about)
    }

    pub(crate) fn new(method: Method, path: String, body: Body, about: About) -> Self {
        Self { method, place: path.clone(), path, body, about }
    }

    /// The same with another path for people.
    pub(crate) fn shown_as(self, place: String) -> Self {
        Self { place, ..self }
    }

    /// How errors and logs name it.
    pub(crate) fn shown(&self) -> String {
        format!("{} {}", self.method.as_str(), self.place)
    }
}

impl Body {
    pub(crate) fn json(value: &impl Serialize) -> Result<Self, Error> {
        let json = serde_json::to_vec(value).map_err(|error| {
            Error::request_invalid(Class::Permanent, format!("the body cannot be written: {error}"))
        })?;
        Ok(Self::Json(json.into()))
    }
}
