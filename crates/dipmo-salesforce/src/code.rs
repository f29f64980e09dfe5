//! Codes of errors that Salesforce has no code for.

use std::fmt;

/// A code of ours: a slug such as `salesforce-unreachable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(&'static str);

impl Code {
    const fn new(slug: &'static str) -> Self {
        Self(slug)
    }

    /// The slug itself.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// All codes of ours. What Salesforce refuses has Salesforce's own code instead.
pub mod codes {
    use super::Code;

    /// The options of a client cannot be used.
    pub const OPTIONS_INVALID: Code = Code::new("salesforce-options-invalid");
    /// A request that no org would take, and that was not sent.
    pub const REQUEST_INVALID: Code = Code::new("salesforce-request-invalid");
    /// No connection comes about.
    pub const UNREACHABLE: Code = Code::new("salesforce-unreachable");
    /// The connection ended before the answer did.
    pub const CONNECTION_LOST: Code = Code::new("salesforce-connection-lost");
    /// The deadline of the call has passed.
    pub const TIMEOUT: Code = Code::new("salesforce-timeout");
    /// What answers is not Salesforce.
    pub const WRONG_URL: Code = Code::new("salesforce-wrong-url");
    /// The answer is cut, or not of the form that Salesforce promises.
    pub const ANSWER_UNREADABLE: Code = Code::new("salesforce-answer-unreadable");
    /// 429 from in front of Salesforce.
    pub const TOO_MANY_REQUESTS: Code = Code::new("salesforce-too-many-requests");
    /// A 5xx without a code of Salesforce.
    pub const UNAVAILABLE: Code = Code::new("salesforce-unavailable");
    /// A refusal without a code of Salesforce.
    pub const UNEXPLAINED: Code = Code::new("salesforce-unexplained");
    /// What was to be uploaded could not be read to its end.
    pub const UPLOAD_BROKEN_OFF: Code = Code::new("salesforce-upload-broken-off");
}
