//! Keeps the keys of an issuer: looked at now and then, and when a token names one that is not known.
//!
//! One task asks the issuer, and everybody else waits for it or does not: so nobody asks twice at once, and no stranger with
//! made-up names of keys makes it ask more often than every [`LEAST`].

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Code, Coded};
use thiserror::Error;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until, timeout};

use super::Refusal;
use super::jwk::KeySet;
use super::jwt::Jwt;

/// So often the keys are looked at.
const EVERY: Duration = Duration::from_secs(600);
/// So much is between two looks at least, once there are keys.
const LEAST: Duration = Duration::from_secs(10);
/// For so long keys are good while the issuer does not answer.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// For so long a request waits for a look.
const PATIENCE: Duration = Duration::from_secs(5);
/// For so long one look may take.
const LOOK_WITHIN: Duration = Duration::from_secs(20);
/// After a look that failed it is tried again so soon.
const AGAIN: Duration = Duration::from_secs(10);

/// Where the keys of an issuer come from.
#[async_trait]
pub trait KeySource: Send + Sync {
    /// The issuer, as a log may name it.
    fn issuer(&self) -> &str;

    /// The document with the keys, as the issuer says it now.
    async fn keys(&self) -> Result<Vec<u8>, KeysError>;
}

/// The keys of an issuer cannot be had. Nothing that it answered is repeated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the keys of {issuer} cannot be had: {problem}")]
pub struct KeysError {
    /// The issuer, as it is configured.
    pub issuer: String,
    /// What happened.
    pub problem: String,
}

impl Coded for KeysError {
    fn code(&self) -> Code {
        Code::new("admin-issuer-unreachable")
    }
}

/// What is known of the keys.
#[derive(Clone, Default)]
struct Known {
    /// The last that were good, and since when.
    keys: Option<(Arc<KeySet>, Instant)>,
    /// When the issuer was asked last.
    looked: Option<Instant>,
}

pub(super) struct Keeper {
    source: Arc<dyn KeySource>,
    known: watch::Sender<Known>,
    /// Somebody has a token with a key that is not known.
    wanted: Notify,
}

impl Known {
    /// The keys that are good now.
    fn keys(&self) -> Option<&Arc<KeySet>> {
        let (keys, since) = self.keys.as_ref()?;
        (since.elapsed() < KEPT).then_some(keys)
    }

    /// Whether the issuer was asked so lately that it is not asked again.
    fn is_fresh(&self) -> bool {
        self.looked.is_some_and(|looked| looked.elapsed() < LEAST)
    }
}

impl Keeper {
    pub(super) fn new(source: Arc<dyn KeySource>) -> Self {
        Self { source, known: watch::Sender::default(), wanted: Notify::new() }
    }

    /// Asks the issuer.
    pub(super) async fn look(&self) -> Result<KeySet, KeysError> {
        let wrong = |problem: &str| KeysError {
            issuer: self.source.issuer().to_owned(),
            problem: problem.to_owned(),
        };
        let document = timeout(LOOK_WITHIN, self.source.keys()).await;
        let document = document.unwrap_or_else(|_| Err(wrong("it takes too long")))?;
        KeySet::read(&document).map_err(wrong)
    }

    /// Keys that a token may be signed with. For one that names a key that is not known the issuer is asked again, unless
    /// it was lately.
    pub(super) async fn keys_with(&self, token: &Jwt<'_>) -> Result<Arc<KeySet>, Refusal> {
        let mut watching = self.known.subscribe();
        let known = watching.borrow_and_update().clone();
        let keys = known.keys();
        if let Some(keys) = keys.filter(|keys| keys.has_key_of(token)) {
            return Ok(Arc::clone(keys));
        }
        if !known.is_fresh() {
            self.wanted.notify_one();
            // Also when it takes longer than that: what is known then is what counts.
            let _ = timeout(PATIENCE, watching.changed()).await;
        }
        let known = self.known.borrow();
        let keys = known.keys().ok_or(Refusal::NoKeys)?;
        if keys.has_key_of(token) { Ok(Arc::clone(keys)) } else { Err(Refusal::NotGood) }
    }

    /// Looks at the keys for ever.
    pub(super) async fn run(&self) {
        loop {
            let looked = self.look().await;
            let now = Instant::now();
            let rest = if looked.is_ok() { EVERY } else { AGAIN };
            self.learn(looked, now);
            sleep_until(now + rest.min(LEAST)).await;
            tokio::select! {
                () = sleep_until(now + rest) => {}
                () = self.wanted.notified() => {}
            }
        }
    }

    fn learn(&self, looked: Result<KeySet, KeysError>, now: Instant) {
        match looked {
            Ok(keys) => {
                let known = Known { keys: Some((Arc::new(keys), now)), looked: Some(now) };
                if self.known.send_replace(known).keys.is_none() {
                    tracing::info!(
                        issuer = self.source.issuer(),
                        "the keys of the issuer are known"
                    );
                }
            }
            Err(error) => {
                let has_keys = self.known.borrow().keys().is_some();
                let (code, known) = (error.code(), if has_keys { "older keys" } else { "no keys" });
                tracing::warn!(%code, %error, known, "tokens of the issuer may not be good; those of dipmo are");
                self.known.send_modify(|known| known.looked = Some(now));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::json;

    use super::*;
    use crate::oidc::jwt;

    /// An issuer that has a key of this name, or is away.
    #[derive(Default)]
    struct Issuer {
        kid: Mutex<Option<&'static str>>,
        asked: Mutex<u32>,
    }

    impl Issuer {
        fn asked(&self) -> u32 {
            *self.asked.lock().unwrap()
        }

        fn says(&self, kid: Option<&'static str>) {
            *self.kid.lock().unwrap() = kid;
        }
    }

    #[async_trait]
    impl KeySource for Issuer {
        fn issuer(&self) -> &str {
            "https://x"
        }

        async fn keys(&self) -> Result<Vec<u8>, KeysError> {
            *self.asked.lock().unwrap() += 1;
            let away =
                || KeysError { issuer: self.issuer().to_owned(), problem: "it is away".to_owned() };
            let kid = self.kid.lock().unwrap().ok_or_else(away)?;
            let half = URL_SAFE_NO_PAD.encode([7; 32]);
            let key = json!({"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": half});
            Ok(json!({"keys": [key]}).to_string().into_bytes())
        }
    }

    fn kept(kid: Option<&'static str>) -> (Arc<Issuer>, Arc<Keeper>) {
        let issuer = Arc::new(Issuer::default());
        issuer.says(kid);
        let keeper = Arc::new(Keeper::new(Arc::clone(&issuer) as _));
        let running = Arc::clone(&keeper);
        tokio::spawn(async move { running.run().await });
        (issuer, keeper)
    }

    /// What becomes of a token with a key of this name.
    async fn find(keeper: &Keeper, kid: &str) -> Result<usize, Refusal> {
        let header = json!({"alg": "EdDSA", "kid": kid}).to_string();
        let text = format!("{}.e30.AA", URL_SAFE_NO_PAD.encode(header));
        let keys = keeper.keys_with(&jwt::read(&text).unwrap()).await;
        keys.map(|keys| keys.len())
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_key_is_learnt_when_somebody_comes_with_it() {
        let (issuer, keeper) = kept(Some("old"));
        assert_eq!(find(&keeper, "old").await, Ok(1), "also before the first look has ended");
        issuer.says(Some("new"));
        assert_eq!(find(&keeper, "new").await, Err(Refusal::NotGood), "it was asked just now");
        tokio::time::sleep(LEAST).await;
        assert_eq!(find(&keeper, "new").await, Ok(1));
        assert_eq!(find(&keeper, "old").await, Err(Refusal::NotGood), "taken away is taken away");
    }

    #[tokio::test(start_paused = true)]
    async fn strangers_cannot_make_it_ask_more_often() {
        let (issuer, keeper) = kept(Some("good"));
        for n in 0..600 {
            let _ = find(&keeper, &format!("made-up-{n}")).await;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        let asked = issuer.asked();
        assert!((50..=61).contains(&asked), "{asked} in ten minutes");
        assert_eq!(find(&keeper, "good").await, Ok(1));
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_come_together_make_it_ask_once() {
        let (issuer, keeper) = kept(Some("good"));
        assert_eq!(find(&keeper, "good").await, Ok(1));
        tokio::time::sleep(LEAST).await;
        let strangers = (0..10).map(|_| find(&keeper, "made-up"));
        let found = futures_util::future::join_all(strangers).await;
        assert!(found.iter().all(|it| *it == Err(Refusal::NotGood)), "{found:?}");
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(issuer.asked(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn keys_outlive_the_issuer_for_a_day() {
        let (issuer, keeper) = kept(Some("good"));
        assert_eq!(find(&keeper, "good").await, Ok(1));
        issuer.says(None);
        tokio::time::sleep(KEPT - Duration::from_secs(1)).await;
        assert_eq!(find(&keeper, "good").await, Ok(1));
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(find(&keeper, "good").await, Err(Refusal::NoKeys));
        issuer.says(Some("good"));
        tokio::time::sleep(AGAIN + Duration::from_secs(1)).await;
        assert_eq!(find(&keeper, "good").await, Ok(1), "it is back");
    }

    #[tokio::test(start_paused = true)]
    async fn while_there_are_no_keys_nobody_can_tell() {
        let (issuer, keeper) = kept(None);
        assert_eq!(find(&keeper, "good").await, Err(Refusal::NoKeys));
        issuer.says(Some("good"));
        tokio::time::sleep(AGAIN + Duration::from_secs(1)).await;
        assert_eq!(find(&keeper, "good").await, Ok(1));
    }

    #[tokio::test(start_paused = true)]
    async fn an_issuer_that_never_answers_is_given_up() {
        struct Silent;

        #[async_trait]
        impl KeySource for Silent {
            fn issuer(&self) -> &str {
                "https://x"
            }

            async fn keys(&self) -> Result<Vec<u8>, KeysError> {
                std::future::pending().await
            }
        }

        let keeper = Keeper::new(Arc::new(Silent));
        assert!(keeper.look().await.unwrap_err().to_string().contains("too long"));
    }
}
