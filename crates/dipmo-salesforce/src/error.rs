//! What went wrong with a call, typed by what to do next.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use crate::class::Class;
use crate::code::{Code, codes};
use crate::row_error::RowError;

/// A call that failed as a whole.
///
/// It has no secret, no token, no payload and no key of a record in it, so that it may be logged;
/// but Salesforce's own message may repeat a value that it refuses.
#[derive(Clone, Debug)]
pub struct Error(Box<Parts>);

#[derive(Clone, Debug)]
struct Parts {
    class: Class,
    code: Cow<'static, str>,
    message: String,
    fields: Vec<String>,
    status: Option<u16>,
    retry_after: Option<Duration>,
    ambiguous: bool,
    /// The method and the path, once there is a request.
    place: String,
}

impl Error {
    /// What to do next.
    #[must_use]
    pub fn class(&self) -> Class {
        self.0.class
    }

    /// Salesforce's `errorCode`, the `error` of a login, or else one of [`codes`].
    #[must_use]
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// What happened, without where and without advice.
    #[must_use]
    pub fn message(&self) -> String {
        self.0.message.clone()
    }

    /// The fields that Salesforce blames.
    #[must_use]
    pub fn fields(&self) -> &[String] {
        &self.0.fields
    }

    /// How long Salesforce asks to be left alone.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Whether Salesforce may have done what was asked, or may yet do it. Never so for what only
    /// reads.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        self.0.ambiguous
    }

    /// The HTTP status, if there was an answer.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    pub(crate) fn new(class: Class, code: Code, message: impl Into<String>) -> Self {
        Self::refused(class, code.as_str(), message)
    }

    pub(crate) fn refused(
        class: Class,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self(Box::new(Parts {
            class,
            code: code.into(),
            message: message.into(),
            fields: Vec::new(),
            status: None,
            retry_after: None,
            ambiguous: false,
            place: String::new(),
        }))
    }

    /// The refusal of a whole call.
    pub(crate) fn of_row(class: Class, row: RowError) -> Self {
        let mut error = Self::refused(class, row.code, row.message);
        error.0.fields = row.fields;
        error
    }

    /// What no org would take, and nobody was asked.
    pub(crate) fn request_invalid(class: Class, message: impl Into<String>) -> Self {
        Self::new(class, codes::REQUEST_INVALID, message)
    }

    pub(crate) fn options_invalid(message: impl Into<String>) -> Self {
        Self::new(Class::Misconfigured, codes::OPTIONS_INVALID, message)
    }

    pub(crate) fn unreadable(message: impl Into<String>) -> Self {
        Self::new(Class::Transient, codes::ANSWER_UNREADABLE, message)
    }

    pub(crate) fn with_class(mut self, class: Class) -> Self {
        self.0.class = class;
        self
    }

    pub(crate) fn with_status(mut self, status: u16) -> Self {
        self.0.status = Some(status);
        self
    }

    pub(crate) fn with_retry_after(mut self, retry_after: Option<Duration>) -> Self {
        self.0.retry_after = retry_after;
        self
    }

    pub(crate) fn ambiguous(mut self, ambiguous: bool) -> Self {
        self.0.ambiguous = ambiguous;
        self
    }

    pub(crate) fn at(mut self, place: &str) -> Self {
        place.clone_into(&mut self.0.place);
        self
    }

    /// The same with other words where the words are not ours.
    pub(crate) fn map_text(mut self, change: impl Fn(&str) -> String) -> Self {
        self.0.message = change(&self.0.message);
        self.0.code = change(&self.0.code).into();
        self.0.fields = self.0.fields.iter().map(|field| change(field)).collect();
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { class, code, message, fields, status, place, .. } = &*self.0;
        if !place.is_empty() {
            write!(f, "{place}: ")?;
        }
        if let Some(status) = status {
            write!(f, "{status} ")?;
        }
        write!(f, "{code}: {}", message.trim_end_matches('.'))?;
        if !fields.is_empty() {
            write!(f, " [{}]", fields.join(", "))?;
        }
        write!(f, "; {}", class.advice())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_tells_what_where_and_what_to_do() {
        let row = RowError {
            code: "STRING_TOO_LONG".to_owned(),
            message: "Last Name: data value too large.".to_owned(),
            fields: vec!["LastName".to_owned()],
        };
        let error = Error::of_row(Class::Permanent, row).with_status(400).at("PATCH /x");
        assert_eq!(
            error.to_string(),
            "PATCH /x: 400 STRING_TOO_LONG: Last Name: data value too large [LastName]; \
             it will be refused again as it is"
        );
        assert_eq!(error.message(), "Last Name: data value too large.");
        let error = Error::options_invalid("login_url is empty");
        assert_eq!(
            error.to_string(),
            "salesforce-options-invalid: login_url is empty; \
             correct the configuration: no record would be taken"
        );
    }
}
