//! The application: what its routes share, and the routers that are made of it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use bytes::Bytes;
use dipmo_store::admin::Operable;
use tokio_util::sync::CancellationToken;

use crate::auth::{Identity, as_local, by_issuer, by_token};
use crate::doctor::Expected;
use crate::gate::{Gate, in_turn};
use crate::headers::{in_time, plainly};
use crate::mask::Shown;
use crate::oidc::Oidc;
use crate::problem::Problem;
use crate::rehearse::Rehearse;
use crate::routes;
use crate::slo::Promises;
use crate::throttle::Throttle;
use crate::watch::Watch;

/// What the application is told.
#[derive(Clone, Debug, Default)]
pub struct AppOptions {
    /// The processes that can be looked at: a store knows tables only.
    pub processes: Vec<ProcessInfo>,
    /// The sources that can be paused.
    pub sources: Vec<SourceInfo>,
    /// The destinations that are known before anything waits for them.
    pub destinations: Vec<String>,
    /// What is shown of messages without being revealed.
    pub shown: Shown,
    /// Whose tokens are good beside those of dipmo's own.
    pub oidc: Option<Arc<Oidc>>,
    /// What the configuration says, for who asks whether all is well; `None` when nobody knows.
    pub expected: Option<Expected>,
    /// Tells what messages would do that are to be replayed; `None` when nobody here knows the processes.
    pub rehearse: Option<Arc<dyn Rehearse>>,
    /// What the configuration promises; `None` when it promises nothing.
    pub promises: Option<Promises>,
    /// How much of anything there may be.
    pub limits: AppLimits,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessInfo {
    /// Its name, such as `HIT`.
    pub name: String,
    /// The states that an instance can stand in.
    pub states: Vec<String>,
    /// Those of them that lead nowhere: the process has ended in them.
    pub ends: Vec<String>,
}

/// A source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceInfo {
    /// Its name in the configuration.
    pub name: String,
    /// `kafka` or `http`.
    pub kind: &'static str,
}

/// How much of anything there may be.
#[derive(Clone, Copy, Debug)]
pub struct AppLimits {
    /// How long an answer may take to begin. Defaults to 30 s.
    pub answer_within: Duration,
    /// How many may watch events at once. Defaults to 64.
    pub watchers: usize,
    /// How often those who watch are told. Defaults to 2 s.
    pub watch_every: Duration,
    /// How long one may watch before their token is looked at again. Defaults to 5 min.
    pub watch_for: Duration,
}

impl Default for AppLimits {
    fn default() -> Self {
        Self {
            answer_within: Duration::from_secs(30),
            watchers: 64,
            watch_every: Duration::from_secs(2),
            watch_for: Duration::from_secs(300),
        }
    }
}

/// What all routes share.
pub(crate) struct Shared {
    pub(crate) store: Arc<dyn Operable>,
    pub(crate) processes: Vec<ProcessInfo>,
    pub(crate) sources: Vec<SourceInfo>,
    pub(crate) destinations: Vec<String>,
    pub(crate) shown: Shown,
    pub(crate) oidc: Option<Arc<Oidc>>,
    pub(crate) expected: Option<Expected>,
    pub(crate) rehearse: Option<Arc<dyn Rehearse>>,
    pub(crate) promises: Option<Promises>,
    pub(crate) limits: AppLimits,
    /// The OpenAPI document.
    pub(crate) document: Bytes,
    pub(crate) throttle: Mutex<Throttle>,
    pub(crate) watch: Arc<Watch>,
    /// Whoever asks the database goes through it.
    pub(crate) gate: Gate,
}

/// The API over a store.
#[derive(Clone)]
pub struct App {
    shared: Arc<Shared>,
    /// Without a door.
    open: Router,
}

impl App {
    /// The API over a store.
    #[must_use]
    pub fn new(store: Arc<dyn Operable>, options: AppOptions) -> Self {
        let (routes, document) = routes::all();
        let gate = Gate::default();
        let watch = Watch::of_store(Arc::clone(&store), gate.clone(), options.limits);
        let shared = Arc::new(Shared {
            store,
            processes: options.processes,
            sources: options.sources,
            destinations: options.destinations,
            shown: options.shown,
            oidc: options.oidc,
            expected: options.expected,
            rehearse: options.rehearse,
            promises: options.promises,
            limits: options.limits,
            document: Bytes::from(document),
            throttle: Mutex::default(),
            watch,
            gate,
        });
        let open = routes
            .fallback(async || Problem::unknown_path())
            .method_not_allowed_fallback(async || Problem::wrong_method())
            .with_state(Arc::clone(&shared));
        Self { shared, open }
    }

    /// Keeps what the issuer of tokens says of its keys until it is stopped; nothing where there is no issuer.
    pub async fn keep_keys(&self, stop: CancellationToken) {
        if let Some(oidc) = &self.shared.oidc {
            oidc.run(stop).await;
        }
    }

    /// For who has a token.
    pub fn router(&self) -> Router {
        let by_token = from_fn_with_state(Arc::clone(&self.shared), by_token);
        let by_issuer = from_fn_with_state(Arc::clone(&self.shared), by_issuer);
        let in_turn = self.in_turn(self.open.clone().layer(by_token));
        // An issuer may be waited for, and whoever waits has no turn meanwhile.
        self.finished(in_turn.layer(by_issuer))
    }

    /// Answers every request as from this identity, without a token: for whoever has the credentials of the
    /// database itself.
    pub fn local(&self, identity: Identity) -> Router {
        let open = self.open.clone().layer(from_fn_with_state(identity, as_local));
        self.finished(self.in_turn(open))
    }

    fn in_turn(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.shared.gate.clone(), in_turn))
    }

    fn finished(&self, router: Router) -> Router {
        let in_time = from_fn_with_state(self.shared.limits.answer_within, in_time);
        router.layer(in_time).layer(from_fn(plainly))
    }
}
