//! What the health of a source over HTTP says about the health of the instance.

use std::sync::Arc;
use std::time::Duration;

use dipmo_processing::health::{Part, Trouble};
use dipmo_source_http::{Health, HttpSource};
use tokio_util::sync::CancellationToken;

use super::watching::watch;

/// Trouble that is over sooner is no reason to send clients elsewhere.
const SHORT: Duration = Duration::from_secs(5);
/// Rows that are refused: clients may be to blame, and none is to make an instance unready.
const REFUSED: &str = "store-row-refused";

/// Notes how a source is until it is stopped.
pub async fn watch_http(source: Arc<HttpSource>, part: Part, stop: CancellationToken) {
    watch(stop, || {
        let (trouble, note) = judged(&source.health());
        part.trouble(trouble);
        part.note(note);
    })
    .await;
}

/// Why nobody is served, or what is wrong although somebody is.
fn judged(health: &Health) -> (Option<Trouble>, Option<Trouble>) {
    if health.listening.is_none() {
        let text = "it does not listen yet".to_owned();
        return (Some(Trouble { code: "listening".to_owned(), text }), None);
    }
    if let Some(problem) = &health.problem {
        let (code, text) = (problem.code.to_string(), problem.message.clone());
        let lasts = problem.lasting > SHORT && problem.code.as_str() != REFUSED;
        let said = Some(Trouble { code, text });
        return if lasts { (said, None) } else { (None, said) };
    }
    if let Some(why) = &health.paused {
        let (code, text) = (why.code().to_owned(), why.message().to_owned());
        return (None, Some(Trouble { code, text }));
    }
    let full = || Trouble {
        code: "http-inbox-full".to_owned(),
        text: "the inbox is too full: clients are told to come back".to_owned(),
    };
    (None, health.turned_away.then(full))
}

#[cfg(test)]
mod tests {
    use dipmo_domain::{Code, Failure};
    use dipmo_source_http::Problem;

    use super::*;

    fn codes(health: &Health) -> [Option<String>; 2] {
        let (trouble, note) = judged(health);
        [trouble, note].map(|it| it.map(|it| it.code))
    }

    #[test]
    fn a_source_is_ready_when_it_listens_and_can_store() {
        let mut health = Health::default();
        assert_eq!(codes(&health), [Some("listening".to_owned()), None]);
        health.listening = Some(([127, 0, 0, 1], 80).into());
        assert_eq!(codes(&health), [None, None]);
        health.paused = Some(Failure::new("source-paused", "paused by ann"));
        assert_eq!(codes(&health), [None, Some("source-paused".to_owned())]);
        health.paused = None;
        health.turned_away = true;
        assert_eq!(codes(&health), [None, Some("http-inbox-full".to_owned())]);
        let mut after = |code, seconds| {
            let lasting = Duration::from_secs(seconds);
            health.problem = Some(Problem { code, message: "busy".to_owned(), lasting });
            codes(&health)
        };
        let (busy, refused) = (Code::new("store-busy"), Code::new("store-row-refused"));
        assert_eq!(after(busy, 5), [None, Some("store-busy".to_owned())]);
        assert_eq!(after(busy, 6), [Some("store-busy".to_owned()), None]);
        assert_eq!(after(refused, 60), [None, Some("store-row-refused".to_owned())]);
    }
}
