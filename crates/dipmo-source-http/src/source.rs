//! A source: listens, takes what is posted, and stores it.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dipmo_inbound::Inbound;
use dipmo_inbox::{Hold, Inbox, InboxLoad, PressureLimits};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::auth::Auth;
use crate::door::{Door, Shared, Told};
use crate::error::SourceError;
use crate::health::{Board, Health};
use crate::message::Maker;
use crate::metrics::Metrics;
use crate::options::{HttpOptions, PathOptions};
use crate::pressure::Pressure;
use crate::{server, storing};

/// How long what nobody waits for may take to be stored when all else has ended.
const FAREWELL: Duration = Duration::from_secs(2);

/// Takes requests over HTTP into an inbox.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use dipmo_source_http::{Auth, HttpOptions, HttpSource, PathOptions, Tokens};
/// # async fn run(inbound: dipmo_inbound::Inbound, inbox: Arc<dyn dipmo_inbox::Inbox>)
/// # -> Result<(), dipmo_source_http::SourceError> {
/// let mut tokens = Tokens::default();
/// tokens.add("shop", "a-secret-of-the-shop")?;
/// let address = std::net::SocketAddr::from(([127, 0, 0, 1], 8080));
/// let mut options = HttpOptions::new(address, Auth::Tokens(tokens), "shop");
/// options.paths.push(PathOptions::new("/orders/publish"));
/// let source = HttpSource::new(options, inbound, inbox)?;
/// let stop = tokio_util::sync::CancellationToken::new();
/// source.run(stop).await // until `stop` is cancelled
/// # }
/// ```
pub struct HttpSource {
    shared: Arc<Shared>,
    pressure: Arc<Pressure>,
    limits: PressureLimits,
    hold: Hold,
    tls: Option<TlsAcceptor>,
    listening: watch::Sender<Option<SocketAddr>>,
    running: AtomicBool,
}

impl HttpSource {
    /// A source with these options. Nobody is listened to yet.
    ///
    /// `inbound` has the rules of the topics of the paths. The id of a message is not theirs to say:
    /// it is made of the path, the client and the key.
    ///
    /// # Errors
    /// When an option is wrong; the error names it.
    pub fn new(
        options: HttpOptions,
        inbound: Inbound,
        inbox: Arc<dyn Inbox>,
    ) -> Result<Self, SourceError> {
        let HttpOptions { listen, auth, tls, source_system, paths, limits, pressure } = options;
        if source_system.is_empty() {
            return Err(SourceError::System);
        }
        for PathOptions { path, body_limit, .. } in &paths {
            if *body_limit > limits.memory {
                let (path, limit, memory) = (path.clone(), *body_limit, limits.memory);
                return Err(SourceError::Memory { path, limit, memory });
            }
        }
        let auth = auth.in_lower_case();
        let tls = tls.map(|tls| tls.config(&auth)).transpose()?.map(TlsAcceptor::from);
        if tls.is_none() && matches!(auth, Auth::Certificates { .. }) {
            let problem = "clients show certificates, and there is no TLS".to_owned();
            return Err(SourceError::Tls { problem });
        }
        let shared = Shared {
            listen,
            auth,
            source_system,
            paths: paths.into_iter().map(Maker::new).collect::<Result<_, _>>()?,
            limits,
            inbound,
            inbox,
            metrics: Arc::default(),
            board: Board::default(),
            away: AtomicBool::new(false),
            asking: Shared::askers(),
            told: Told::default(),
        };
        // Without somebody who tells the load there is none.
        let (_, load) = watch::channel(InboxLoad::default());
        Ok(Self {
            shared: Arc::new(shared),
            pressure: Arc::new(Pressure::new(pressure, load)),
            limits: pressure,
            hold: Hold::default(),
            tls,
            listening: watch::Sender::new(None),
            running: AtomicBool::new(false),
        })
    }

    /// Turns clients away by the load of the inbox, as long as somebody tells it.
    #[must_use]
    pub fn load(mut self, load: watch::Receiver<InboxLoad>) -> Self {
        self.pressure = Arc::new(Pressure::new(self.limits, load));
        self
    }

    /// Turns clients away while an operator holds it back.
    #[must_use]
    pub fn held(mut self, hold: Hold) -> Self {
        self.hold = hold;
        self
    }

    /// The figures, which can be read while it runs.
    #[must_use]
    pub fn metrics(&self) -> Arc<Metrics> {
        Arc::clone(&self.shared.metrics)
    }

    /// How it is.
    #[must_use]
    pub fn health(&self) -> Health {
        Health {
            listening: *self.listening.borrow(),
            problem: self.shared.board.problem(),
            turned_away: self.pressure.is_high(),
            paused: self.hold.why(),
        }
    }

    /// Waits until it listens, and says where: port 0 is any that is free.
    pub async fn address(&self) -> SocketAddr {
        let mut listening = self.listening.subscribe();
        loop {
            if let Some(address) = *listening.borrow_and_update() {
                return address;
            }
            // The sender is ours, so there will be another word.
            let _ = listening.changed().await;
        }
    }

    /// Listens until it is stopped. Requests that are under way then are answered.
    ///
    /// # Errors
    /// When the address cannot be listened on, when it runs already, or when it broke: nobody would be
    /// served any more.
    pub async fn run(&self, stop: CancellationToken) -> Result<(), SourceError> {
        let listen = self.shared.listen;
        if self.running.swap(true, Ordering::AcqRel) {
            return Err(SourceError::Running { address: listen });
        }
        let _seat = Seat(self);
        let away =
            |error: io::Error| SourceError::Address { address: listen, problem: error.to_string() };
        let listener = TcpListener::bind(listen).await.map_err(away)?;
        let address = listener.local_addr().map_err(away)?;
        tracing::info!(%address, tls = self.tls.is_some(), "the HTTP source listens");
        self.listening.send_replace(Some(address));
        // Dropped, it stops as well.
        let stop = stop.child_token();
        let _stopped_when_dropped = stop.clone().drop_guard();
        let (door, queue) =
            Door::new(Arc::clone(&self.shared), Arc::clone(&self.pressure), self.hold.clone());
        let mut storing = tokio::spawn(storing::run(Arc::clone(&self.shared), queue));
        let mut serving = pin!(server::run(door, listener, self.tls.clone(), stop.clone()));
        tokio::select! {
            biased;
            // It ends after the last who could bring something, unless it breaks.
            _ = &mut storing => {
                tracing::error!(%address, "the HTTP source cannot store any more: it ends");
                stop.cancel();
                serving.await;
                return Err(SourceError::Broken { address });
            }
            () = serving.as_mut() => {}
        }
        // Nobody waits for what is left, but it may be on its way into the database.
        match timeout(FAREWELL, storing).await {
            Ok(Err(_)) => Err(SourceError::Broken { address }),
            Ok(Ok(())) | Err(_) => Ok(()),
        }
    }
}

/// Whoever runs; leaves when it is dropped.
struct Seat<'a>(&'a HttpSource);

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.0.listening.send_replace(None);
        self.0.running.store(false, Ordering::Release);
    }
}
