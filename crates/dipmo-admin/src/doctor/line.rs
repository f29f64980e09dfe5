//! What a check says.

use dipmo_domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::moment::Moment;

/// How well something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Verdict {
    /// As it must be.
    Ok,
    /// It could not be told.
    Unknown,
    /// It works, and somebody should look.
    Warn,
    /// Something does not work, or is not safe.
    Fail,
}

/// One thing that must be so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DoctorLine)]
pub(crate) struct Line {
    /// Its name.
    pub(crate) check: &'static str,
    pub(crate) verdict: Verdict,
    /// What was looked at, with numbers.
    pub(crate) evidence: String,
    /// What to do next; null when there is nothing to do.
    pub(crate) next: Option<String>,
}

/// All lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Examination {
    /// When, by the database's clock.
    at: Moment,
    /// The worst of all lines.
    verdict: Verdict,
    pub(crate) lines: Vec<Line>,
}

impl Examination {
    pub(crate) fn of(at: Timestamp, lines: Vec<Line>) -> Self {
        let verdict = lines.iter().map(|line| line.verdict).max().unwrap_or(Verdict::Unknown);
        Self { at: Moment(at), verdict, lines }
    }
}

impl Line {
    /// It is as it must be.
    pub(crate) fn ok(check: &'static str, evidence: impl Into<String>) -> Self {
        Self { check, verdict: Verdict::Ok, evidence: evidence.into(), next: None }
    }

    /// Somebody should look.
    pub(crate) fn warn(check: &'static str, evidence: impl Into<String>, next: &str) -> Self {
        Self::not_ok(Verdict::Warn, check, evidence, next)
    }

    /// Something does not work, or is not safe.
    pub(crate) fn fail(check: &'static str, evidence: impl Into<String>, next: &str) -> Self {
        Self::not_ok(Verdict::Fail, check, evidence, next)
    }

    /// It could not be told.
    pub(crate) fn unknown(check: &'static str, why: impl Into<String>, next: &str) -> Self {
        Self::not_ok(Verdict::Unknown, check, why, next)
    }

    fn not_ok(
        verdict: Verdict,
        check: &'static str,
        evidence: impl Into<String>,
        next: &str,
    ) -> Self {
        Self { check, verdict, evidence: evidence.into(), next: Some(next.to_owned()) }
    }
}
