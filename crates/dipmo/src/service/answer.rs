//! What the port answers to a path.

use dipmo_processing::health::{Effect, Reason, Verdict};
use hyper::{Method, StatusCode};
use serde::Serialize;

/// An answer before it is on the wire.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: String,
}

#[derive(Serialize)]
struct Shown<'a> {
    live: bool,
    ready: bool,
    reasons: Vec<ShownReason<'a>>,
}

#[derive(Serialize)]
struct ShownReason<'a> {
    name: &'static str,
    about: &'a str,
    effect: &'static str,
    text: &'a str,
}

/// What can be asked.
#[derive(Clone, Copy)]
enum Question {
    Live,
    Ready,
    All,
}

impl Question {
    fn of(path: &str) -> Option<Self> {
        match path {
            "/live" => Some(Self::Live),
            "/ready" => Some(Self::Ready),
            "/health" => Some(Self::All),
            _ => None,
        }
    }

    fn is_well(self, verdict: &Verdict) -> bool {
        match self {
            Self::Live => verdict.is_live(),
            Self::Ready | Self::All => verdict.is_ready(),
        }
    }

    /// `/live` and `/ready` name only what makes them fail.
    fn is_about(self, effect: Effect) -> bool {
        match self {
            Self::Live => effect == Effect::Dead,
            Self::Ready => effect != Effect::Shown,
            Self::All => true,
        }
    }
}

/// Answers a request.
pub(super) fn answer(method: &Method, path: &str, verdict: impl FnOnce() -> Verdict) -> Answer {
    let Some(question) = Question::of(path) else { return plain(StatusCode::NOT_FOUND) };
    if method != Method::GET {
        return plain(StatusCode::METHOD_NOT_ALLOWED);
    }
    let verdict = verdict();
    let is_well = question.is_well(&verdict);
    let status = if is_well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let reasons = verdict.reasons.iter().filter(|reason| question.is_about(reason.effect));
    let shown = Shown {
        live: verdict.is_live(),
        ready: verdict.is_ready(),
        reasons: reasons.map(shown).collect(),
    };
    match serde_json::to_string(&shown) {
        Ok(body) => Answer { status, body },
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

fn plain(status: StatusCode) -> Answer {
    Answer { status, body: "{}".to_owned() }
}

fn shown(reason: &Reason) -> ShownReason<'_> {
    let Reason { name, about, text, effect } = reason;
    ShownReason { name, about, effect: effect.as_str(), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(effects: &[Effect]) -> Verdict {
        let reason = |effect: &Effect| Reason {
            name: "stalled",
            about: "inbox".to_owned(),
            text: "the oldest waits for 130 s".to_owned(),
            effect: *effect,
        };
        Verdict { reasons: effects.iter().map(reason).collect() }
    }

    fn statuses(effects: &[Effect]) -> [u16; 3] {
        let get = |path| answer(&Method::GET, path, || verdict(effects)).status.as_u16();
        ["/live", "/ready", "/health"].map(get)
    }

    #[test]
    fn each_path_fails_by_what_concerns_it() {
        assert_eq!(statuses(&[]), [200, 200, 200]);
        assert_eq!(statuses(&[Effect::Shown]), [200, 200, 200]);
        assert_eq!(statuses(&[Effect::Unready]), [200, 503, 503]);
        assert_eq!(statuses(&[Effect::Dead]), [503, 503, 503]);
    }

    #[test]
    fn each_path_names_what_concerns_it() {
        let all = [Effect::Dead, Effect::Unready, Effect::Shown];
        let named = |path| {
            let body = answer(&Method::GET, path, || verdict(&all)).body;
            let body: serde_json::Value = serde_json::from_str(&body).unwrap();
            body["reasons"].as_array().unwrap().len()
        };
        assert_eq!(["/live", "/ready", "/health"].map(named), [1, 2, 3]);
        let body = answer(&Method::GET, "/health", || verdict(&[Effect::Shown])).body;
        let expected = r#"{"live":true,"ready":true,"reasons":[{"name":"stalled","about":"inbox","effect":"shown","text":"the oldest waits for 130 s"}]}"#;
        assert_eq!(body, expected);
    }

    #[test]
    fn nothing_else_is_there() {
        let status = |method, path| answer(&method, path, Verdict::default).status.as_u16();
        assert_eq!(status(Method::GET, "/"), 404);
        assert_eq!(status(Method::GET, "/live/"), 404);
        assert_eq!(status(Method::GET, "/metrics"), 404);
        assert_eq!(status(Method::POST, "/live"), 405);
        assert_eq!(status(Method::HEAD, "/ready"), 405);
    }
}
