//! What a test may ask for: rules, as `POST /__sim/faults` takes them.

use serde::{Deserialize, Serialize};

use crate::span::Span;

/// The body of `POST /__sim/faults`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rules {
    /// What the decisions of rules with a probability depend on.
    #[serde(default)]
    pub(crate) seed: u64,
    pub(crate) rules: Vec<Rule>,
}

/// When to do what.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    #[serde(default)]
    pub(crate) when: When,
    /// How many matches pass before the first that may be hit.
    #[serde(default)]
    pub(crate) skip: u64,
    /// How often it is done at most; for ever if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) times: Option<u64>,
    /// How likely a match is hit; always if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) probability: Option<f64>,
    pub(crate) fault: Fault,
}

/// What a rule is about. What is not given matches everything.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct When {
    /// A family of the API, or `rest` or `bulk`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) api: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) method: Option<String>,
    /// A path with its query, in which `*` stands for anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// The object of a call that has it in its path, of a job, or of a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) object: Option<String>,
    /// The operation of a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) operation: Option<String>,
    /// External ids, or ids, of rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) keys: Vec<String>,
}

/// What goes wrong. The empty braces make an unknown key an error in these too.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Fault {
    /// 401 once, while the session goes on.
    SessionExpired {},
    /// The session of the call ends: 401 now and from now on.
    RevokeToken {},
    /// 403 as if the requests of the day were spent, once.
    ForbiddenTotal {},
    /// 403 as if too many long calls were under way, once.
    ForbiddenConcurrent {},
    /// The requests of the day are spent, from now on.
    ExhaustLimit {},
    TooManyRequests {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<RetryAfter>,
    },
    ServerError {},
    /// Any refusal of a whole call.
    Refuse {
        status: u16,
        code: String,
        message: String,
    },
    BadGateway {},
    /// 503 with an HTML page, as the edge sends it.
    Unavailable {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<RetryAfter>,
    },
    /// Nothing is applied and nothing is answered.
    TimeoutBefore {
        #[serde(default = "a_minute")]
        hold: Span,
    },
    /// Nothing is applied: the connection ends within the body of the request.
    DropRequest {
        #[serde(default)]
        after_bytes: u64,
    },
    /// The call is applied, and nothing is answered.
    TimeoutAfter {
        #[serde(default = "a_minute")]
        hold: Span,
    },
    /// The call is applied, and the connection ends within the body of the answer.
    Drop {
        #[serde(default)]
        after_bytes: u64,
    },
    /// The call is applied, and the answer looks whole but ends early.
    Truncate {
        bytes: u64,
    },
    /// The call is applied, and the answer comes in small pieces.
    Drip {
        bytes: u64,
        every: Span,
    },
    /// The call is applied later.
    Delay {
        delay: Span,
    },
    /// `UNABLE_TO_LOCK_ROW` for a row.
    RowLock {},
    /// Any refusal of a row.
    RowRefusal {
        code: String,
        message: String,
        #[serde(default)]
        fields: Vec<String>,
    },
    /// The job is Failed.
    JobFailed {
        #[serde(default = "internal_error")]
        message: String,
        #[serde(default)]
        after_rows: u64,
    },
    /// The job is Aborted.
    JobAborted {
        #[serde(default)]
        after_rows: u64,
    },
    /// The job stays InProgress.
    JobStuck {
        hold: Span,
        #[serde(default)]
        after_rows: u64,
    },
    /// The job is complete with rows that nobody looked at.
    JobUnprocessed {
        #[serde(default)]
        after_rows: u64,
    },
    /// Nobody knows the job any more.
    JobVanished {
        #[serde(default)]
        after_rows: u64,
    },
}

/// `Retry-After` in its two forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum RetryAfter {
    Seconds(u32),
    Date(InSeconds),
}

/// A point in time, told by how far it is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InSeconds {
    pub(crate) date_in: u32,
}

/// What a rule's fault happens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Call,
    Row,
    Job,
}

fn a_minute() -> Span {
    Span(std::time::Duration::from_secs(60))
}

fn internal_error() -> String {
    "InternalServerError : Unable to process the job".to_owned()
}

impl Fault {
    pub(crate) fn subject(&self) -> Subject {
        match self {
            Fault::RowLock {} | Fault::RowRefusal { .. } => Subject::Row,
            Fault::JobFailed { .. }
            | Fault::JobAborted { .. }
            | Fault::JobStuck { .. }
            | Fault::JobUnprocessed { .. }
            | Fault::JobVanished { .. } => Subject::Job,
            _ => Subject::Call,
        }
    }

    /// Whether it is about the session or the limits of a call with data: whoever logs in has
    /// neither yet.
    pub(crate) fn is_of_data(&self) -> bool {
        matches!(
            self,
            Fault::SessionExpired {}
                | Fault::RevokeToken {}
                | Fault::ForbiddenTotal {}
                | Fault::ForbiddenConcurrent {}
                | Fault::ExhaustLimit {}
        )
    }

    /// Whether it answers from in front of Salesforce, where nobody knows of limits.
    pub(crate) fn is_of_edge(&self) -> bool {
        matches!(
            self,
            Fault::TooManyRequests { .. } | Fault::BadGateway {} | Fault::Unavailable { .. }
        )
    }

    /// As rules name it.
    pub(crate) fn kind(&self) -> String {
        let kind = serde_json::to_value(self)
            .ok()
            .and_then(|value| value.get("kind").and_then(|kind| kind.as_str()).map(str::to_owned));
        kind.unwrap_or_default()
    }
}
