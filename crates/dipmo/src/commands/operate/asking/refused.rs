//! Why there is no answer, as what happened, where, and what to do next.

use std::fmt;
use std::process::ExitCode;

use serde_json::Value;

use crate::COULD_NOT_RUN;
use crate::commands::operate::show::safe::{lines, one_line};
use crate::console::{err, out};
use crate::output::Output;

/// Who was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// A server, by its address.
    Server(String),
    /// The API in this process, on the database of the configuration.
    Here,
}

impl fmt::Display for Where {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(url) => f.write_str(url),
            Self::Here => f.write_str("the database of the configuration"),
        }
    }
}

/// Why a command ends without what it was asked for.
#[derive(Debug)]
pub(crate) enum Refused {
    /// It was said already; how to end.
    Said(ExitCode),
    /// The API says no.
    Problem { status: u16, document: Box<Value>, at: Where },
    /// What answered is not the API.
    NotTheApi { status: u16, at: Where },
    /// Nobody answered.
    Unreachable { problem: String, at: Where },
    /// It cannot be asked for like this.
    Wrong { message: String, hint: String },
    /// There is no such thing.
    Nothing { message: String, hint: String },
}

impl Refused {
    /// It cannot be asked for like this, and how it can.
    pub(crate) fn wrong(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Wrong { message: message.into(), hint: hint.into() }
    }

    /// There is no such thing, and where those are that there are.
    pub(crate) fn nothing(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Nothing { message: message.into(), hint: hint.into() }
    }

    /// True when the same may be answered in a moment: whoever waits for something goes on waiting.
    pub(crate) const fn is_passing(&self) -> bool {
        match self {
            Self::Problem { status, .. } => matches!(status, 429 | 503),
            Self::NotTheApi { status, .. } => matches!(status, 502..=504),
            Self::Unreachable { .. } => true,
            Self::Said(_) | Self::Wrong { .. } | Self::Nothing { .. } => false,
        }
    }

    /// Says it, and how to end: 1 when there is no such thing, 2 when nobody could be asked.
    pub(crate) fn say(&self, output: Output) -> ExitCode {
        if let Self::Said(code) = self {
            return *code;
        }
        match (output, self) {
            (Output::Json, Self::Problem { document, .. }) => out(&document.to_string()),
            _ => err(&self.text()),
        }
        match self {
            Self::Problem { status: 404, .. } | Self::Nothing { .. } => ExitCode::FAILURE,
            _ => ExitCode::from(COULD_NOT_RUN),
        }
    }

    /// Some lines for people.
    pub(crate) fn text(&self) -> String {
        let (head, hint) = match self {
            Self::Said(_) => return String::new(),
            Self::Problem { status, document, at } => {
                return problem(*status, document, at);
            }
            Self::NotTheApi { status, at } => {
                let head =
                    format!("what answers at {at} is not the API of dipmo (status {status})");
                (head, "--server is the address of the `admin` section of an instance")
            }
            Self::Unreachable { problem, at } => {
                let hint = match problem.contains("certificate") {
                    true => {
                        "SSL_CERT_FILE names the authority of the certificate, if this system does not know it"
                    }
                    false => {
                        "is an instance up whose `admin` section listens there? Without --server the database of the \
                         configuration is asked"
                    }
                };
                (format!("nobody answers at {at}: {}", one_line(problem)), hint)
            }
            Self::Wrong { message, hint } | Self::Nothing { message, hint } => {
                (message.clone(), hint.as_str())
            }
        };
        format!("error: {head}\n  hint: {hint}")
    }
}

/// A problem document: what happened, where, and what to do next.
fn problem(status: u16, document: &Value, at: &Where) -> String {
    let part = |name: &str| lines(document[name].as_str().unwrap_or_default());
    let hint = match (status, document["retry_after"].as_u64()) {
        (401, _) => "a token is shown with --token-file FILE or DIPMO_TOKEN, and may have run out or been revoked; \
                     an admin makes one with `dipmo token make NAME`"
            .to_owned(),
        (_, Some(seconds)) => format!("{}; try again in {seconds} s", part("hint")),
        _ => part("hint"),
    };
    let (code, detail) = (part("code"), part("detail"));
    format!("error[{code}]: {detail}\n  at: {at}\n  hint: {hint}\n  see: docs/errors/{code}.md")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(status: u16, retry_after: Option<u64>) -> String {
        let document = json!({
            "code": "admin-x", "detail": "it did\u{1b} not work", "hint": "do better", "retry_after": retry_after,
        });
        let at = Where::Server("https://a.example".to_owned());
        Refused::Problem { status, document: Box::new(document), at }.text()
    }

    #[test]
    fn a_problem_is_what_happened_where_and_what_to_do() {
        let expected = "error[admin-x]: it did· not work\n  at: https://a.example\n  hint: do better\n  \
                        see: docs/errors/admin-x.md";
        assert_eq!(said(403, None), expected);
        assert!(said(503, Some(5)).contains("hint: do better; try again in 5 s\n"));
        assert!(said(401, None).contains("--token-file FILE or DIPMO_TOKEN"));
    }

    #[test]
    fn only_what_may_pass_is_waited_for() {
        let refused = |status| {
            let (document, at) = (Box::new(Value::Null), Where::Here);
            Refused::Problem { status, document, at }.is_passing()
        };
        assert_eq!(
            [401, 403, 404, 429, 500, 503].map(refused),
            [false, false, false, true, false, true]
        );
        let away = Refused::Unreachable { problem: String::new(), at: Where::Here };
        assert!(away.is_passing());
    }
}
