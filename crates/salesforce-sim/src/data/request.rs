//! One request for data and its answer, without HTTP around them.
//!
//! A call and a subrequest of Composite are the same to the functions behind them.

use std::str::FromStr;

use serde_json::Value as Json;

use crate::refusal::Refusal;

/// What is asked of the data of the org.
#[derive(Debug)]
pub(crate) struct DataRequest<'a> {
    pub(crate) method: Method,
    /// The decoded segments after `/services/data/vXX.X/`, such as `["sobjects", "Contact"]`.
    pub(crate) path: &'a [String],
    /// The decoded query.
    pub(crate) query: &'a [(String, String)],
    /// `None` where the request has no body.
    pub(crate) body: Option<&'a Json>,
    /// The version in the path times ten, such as 620 for `v62.0`.
    pub(crate) version: u32,
    /// Headers that change what is done with data, by lower-case name: `sforce-duplicate-rule-header` and the like.
    pub(crate) headers: &'a [(String, String)],
}

impl DataRequest<'_> {
    /// There is something at this path, but for other methods.
    pub(crate) fn method_not_allowed(&self, allowed: &str) -> Refusal {
        Refusal::method_not_allowed(self.method.name(), allowed)
    }
}

/// The methods that the API knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
    Head,
}

impl Method {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Patch => "PATCH",
            Method::Delete => "DELETE",
            Method::Head => "HEAD",
        }
    }
}

impl FromStr for Method {
    type Err = NoMethod;

    /// The name of a method is in capitals.
    fn from_str(name: &str) -> Result<Self, NoMethod> {
        Ok(match name {
            "GET" => Method::Get,
            "POST" => Method::Post,
            "PUT" => Method::Put,
            "PATCH" => Method::Patch,
            "DELETE" => Method::Delete,
            "HEAD" => Method::Head,
            _ => return Err(NoMethod),
        })
    }
}

/// The API knows no method of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoMethod;

/// What the org answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DataAnswer {
    pub(crate) status: u16,
    /// `None` is an empty body, as with 204.
    pub(crate) body: Option<Json>,
    /// `Location` of a created record, which Composite shows in `httpHeaders`.
    pub(crate) location: Option<String>,
}

impl DataAnswer {
    /// An answer with a body.
    pub(crate) fn json(status: u16, body: Json) -> Self {
        DataAnswer { status, body: Some(body), location: None }
    }

    /// 204.
    pub(crate) fn empty() -> Self {
        DataAnswer { status: 204, body: None, location: None }
    }
}

impl From<Refusal> for DataAnswer {
    fn from(refusal: Refusal) -> Self {
        DataAnswer::json(refusal.status, Json::Array(vec![refusal.in_rest()]))
    }
}
