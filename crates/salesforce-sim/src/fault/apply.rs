//! Faults of calls, as the client sees them.

use std::time::Duration;

use jiff::fmt::strtime;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::fault::rule::{Fault, RetryAfter};
use crate::org::limits::{concurrent_requests_exceeded, total_requests_exceeded};
use crate::refusal::Refusal;
use crate::server::answer::Answer;
use crate::server::api::Api;

/// What a fault does to a call before it is applied.
pub(crate) enum Before {
    /// Nothing: the call is applied as usual.
    GoOn,
    /// It is answered with this instead.
    Instead(Answer),
    /// It is applied later.
    Wait(Duration),
    /// It is held for so long, and then the connection ends.
    Silence(Duration),
    /// The connection ends when so many bytes of the request's body have come.
    DropAfter(u64),
    /// The session of the call ends.
    RevokeToken,
    /// The requests of the day are spent.
    ExhaustLimit,
}

/// What a fault does to the answer of a call that was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spoil {
    /// No answer comes for so long, and then the connection ends.
    Silence(Duration),
    /// The connection ends after so many bytes of the body.
    DropAfter(u64),
    /// The body has so many bytes and no more, and its length says so.
    Truncate(u64),
    Drip {
        bytes: u64,
        every: Duration,
    },
}

/// What comes before the call is applied.
pub(crate) fn before(fault: &Fault, api: Api, now: Timestamp) -> Before {
    match fault {
        Fault::Refuse { status, code, message } => {
            Before::Instead(refused(api, *status, code, message))
        }
        Fault::SessionExpired {} => Before::Instead(Refusal::session_expired().into()),
        Fault::RevokeToken {} => Before::RevokeToken,
        Fault::ForbiddenTotal {} => Before::Instead(total_requests_exceeded().into()),
        Fault::ForbiddenConcurrent {} => Before::Instead(concurrent_requests_exceeded().into()),
        Fault::ExhaustLimit {} => Before::ExhaustLimit,
        Fault::TooManyRequests { retry_after } => {
            let answer = edge_page(429, "Too Many Requests");
            Before::Instead(retry(answer, *retry_after, now))
        }
        Fault::ServerError {} => Before::Instead(Refusal::unknown_exception().into()),
        Fault::BadGateway {} => Before::Instead(edge_page(502, "Bad Gateway")),
        Fault::Unavailable { retry_after } => {
            Before::Instead(retry(edge_page(503, "Service Unavailable"), *retry_after, now))
        }
        Fault::TimeoutBefore { hold } => Before::Silence(hold.0),
        Fault::DropRequest { after_bytes } => Before::DropAfter(*after_bytes),
        Fault::Delay { delay } => Before::Wait(delay.0),
        _ => Before::GoOn,
    }
}

/// What becomes of the answer.
pub(crate) fn after(fault: &Fault) -> Option<Spoil> {
    match fault {
        Fault::TimeoutAfter { hold } => Some(Spoil::Silence(hold.0)),
        Fault::Drop { after_bytes } => Some(Spoil::DropAfter(*after_bytes)),
        Fault::Truncate { bytes } => Some(Spoil::Truncate(*bytes)),
        // Pieces of nothing would never end.
        Fault::Drip { bytes, every } => {
            Some(Spoil::Drip { bytes: (*bytes).max(1), every: every.0 })
        }
        _ => None,
    }
}

/// A refusal in the words of the test, in the shape of the endpoint.
fn refused(api: Api, status: u16, code: &str, message: &str) -> Answer {
    let body = match api {
        Api::Oauth => json!({ "error": code, "error_description": message }),
        _ => json!([{ "message": message, "errorCode": code }]),
    };
    Answer::json(status, body)
}

/// What a proxy in front of Salesforce answers: a page for people.
fn edge_page(status: u16, title: &str) -> Answer {
    let page = format!(
        "<!DOCTYPE html>\n<html><head><title>{status} {title}</title></head>\n\
         <body><h1>{title}</h1>\n<p>We are down for maintenance. Sorry for the inconvenience.</p>\n\
         </body></html>\n"
    );
    Answer::html(status, page)
}

fn retry(answer: Answer, retry_after: Option<RetryAfter>, now: Timestamp) -> Answer {
    match retry_after {
        None => answer,
        Some(RetryAfter::Seconds(seconds)) => {
            answer.with_header("retry-after", seconds.to_string())
        }
        Some(RetryAfter::Date(at)) => {
            let at = now.checked_add(SignedDuration::from_secs(i64::from(at.date_in)));
            answer.with_header("retry-after", http_date(at.unwrap_or(now)))
        }
    }
}

/// A time as headers have it.
fn http_date(at: Timestamp) -> String {
    strtime::format("%a, %d %b %Y %H:%M:%S GMT", at).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::rule::InSeconds;

    #[test]
    fn retry_after_has_two_forms() {
        let now = Timestamp::from_second(784_111_777).unwrap();
        for (retry_after, expected) in [
            (RetryAfter::Seconds(5), "5"),
            (RetryAfter::Date(InSeconds { date_in: 60 }), "Sun, 06 Nov 1994 08:50:37 GMT"),
        ] {
            let fault = Fault::TooManyRequests { retry_after: Some(retry_after) };
            let Before::Instead(answer) = before(&fault, Api::Limits, now) else {
                panic!("no answer")
            };
            assert_eq!(answer.status, 429);
            assert_eq!(answer.headers, [("retry-after", expected.to_owned())]);
        }
    }
}
