//! The store itself: pools, the tables of the deployment, and the small calls.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use deadpool_postgres::{
    ClientWrapper, Hook, Manager, ManagerConfig, Pool, QueueMode, RecyclingMethod, Runtime,
};
use dipmo_api::sql::CheckedQuery;
use dipmo_domain::{StoreError, Timestamp};
use dipmo_store::{Store, Tables};

use crate::exception::micros;
use crate::handler::PostgresHandler;
use crate::options::{Place, PostgresOptions, SessionKind};
use crate::session::Session;
use crate::sql::params;
use crate::types::PgTime;
use crate::wake::Wakes;
use crate::{migrate, pipeline, queries, sql};

/// dipmo on PostgreSQL 15 or newer.
///
/// Cheap to clone; all clones share the connections.
#[derive(Clone)]
pub struct PostgresStore {
    inner: Arc<Inner>,
}

struct Inner {
    place: Place,
    hot: Pool,
    report: Pool,
    handlers: HashMap<String, Arc<dyn PostgresHandler>>,
    tables: RwLock<Arc<Tables>>,
    destinations: Arc<RwLock<HashSet<String>>>,
    wakes: Wakes,
    idle_in_transaction: Duration,
}

impl PostgresStore {
    /// Connects, so that a wrong URL or password is found now and not at the first message.
    ///
    /// # Errors
    /// When the URL is not valid, nobody answers, or the database does not let us in.
    pub async fn connect(options: &PostgresOptions) -> Result<Self, StoreError> {
        Self::with_handlers(options, HashMap::new()).await
    }

    /// As [`PostgresStore::connect`], with transactional handlers by name.
    ///
    /// # Errors
    /// As [`PostgresStore::connect`].
    pub async fn with_handlers(
        options: &PostgresOptions,
        handlers: HashMap<String, Arc<dyn PostgresHandler>>,
    ) -> Result<Self, StoreError> {
        let place = options.place()?;
        let destinations: Arc<RwLock<HashSet<String>>> = Arc::default();
        // A new connection may be to another server, after a fail-over, that never got the lanes
        // of a destination that we remember.
        let (remembered, patience) = (Arc::clone(&destinations), options.patience);
        let welcome = Hook::async_fn(move |client: &mut ClientWrapper, _| {
            let remembered = Arc::clone(&remembered);
            Box::pin(async move {
                let prepared = pipeline::prepare_common(client, patience).await;
                remembered.write().unwrap_or_else(PoisonError::into_inner).clear();
                prepared
            })
        });
        let inner = Inner {
            hot: pool(options, SessionKind::Hot, options.connections, Some(welcome))?,
            report: pool(options, SessionKind::Report, options.report_connections, None)?,
            place,
            handlers,
            tables: RwLock::default(),
            destinations,
            wakes: Wakes::new(options)?,
            idle_in_transaction: options.idle_in_transaction,
        };
        let store = Self { inner: Arc::new(inner) };
        store.now().await?;
        Ok(store)
    }

    /// The settings of sessions for hot statements as SQL, for who wants to see the plans that the
    /// store sees.
    #[must_use]
    pub fn hot_settings(&self) -> String {
        SessionKind::Hot.settings().replace("-c ", "set ").replace(" set ", "; set ")
    }

    /// The text that a query of a user is sent as, for who wants to see its plan.
    #[must_use]
    pub fn query_text(query: &CheckedQuery) -> String {
        queries::text(query)
    }

    /// A session for hot statements.
    pub(crate) async fn hot(&self) -> Result<Session, StoreError> {
        Session::open(&self.inner.hot, &self.inner.place).await
    }

    /// A session for reports, migrations and history.
    pub(crate) async fn report(&self) -> Result<Session, StoreError> {
        Session::open(&self.inner.report, &self.inner.place).await
    }

    /// Who is woken when something becomes ready.
    pub(crate) fn wakes(&self) -> &Wakes {
        &self.inner.wakes
    }

    /// What `migrate` was given.
    pub(crate) fn set_tables(&self, tables: &Tables) {
        *self.inner.tables.write().unwrap_or_else(PoisonError::into_inner) =
            Arc::new(tables.clone());
    }

    /// The tables that `migrate` was given.
    pub(crate) fn tables(&self) -> Arc<Tables> {
        Arc::clone(&self.inner.tables.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn has_handlers(&self) -> bool {
        !self.inner.handlers.is_empty()
    }

    pub(crate) fn handler(&self, name: &str) -> Option<&Arc<dyn PostgresHandler>> {
        self.inner.handlers.get(name)
    }

    /// Ends sessions that stand still inside a COPY as long as others may inside a transaction.
    pub(crate) async fn end_stuck_copies(&self) -> Result<(), StoreError> {
        let call = sql::copy_end_stuck().with(params![micros(self.inner.idle_in_transaction)]);
        self.report().await?.run(vec![call]).await.map(|_| ())
    }

    /// Which of these destinations were never seen by this instance.
    pub(crate) fn unseen(&self, destinations: impl Iterator<Item = String>) -> Vec<String> {
        let seen = self.inner.destinations.read().unwrap_or_else(PoisonError::into_inner);
        let unseen: HashSet<String> = destinations.filter(|name| !seen.contains(name)).collect();
        unseen.into_iter().collect()
    }

    /// Remembers destinations whose lanes are committed.
    pub(crate) fn remember(&self, destinations: Vec<String>) {
        let mut seen = self.inner.destinations.write().unwrap_or_else(PoisonError::into_inner);
        seen.extend(destinations);
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn check_schema(&self) -> Result<(), StoreError> {
        migrate::check(self.report().await?).await
    }

    async fn now(&self) -> Result<Timestamp, StoreError> {
        let rows = self.report().await?.run(vec![sql::clock().call()]).await?;
        Ok(rows[0][0].get::<_, PgTime>(0).0)
    }
}

fn pool(
    options: &PostgresOptions,
    kind: SessionKind,
    size: usize,
    on_new: Option<Hook>,
) -> Result<Pool, StoreError> {
    let recycling_method = RecyclingMethod::Fast;
    let (config, tls) = (options.config(kind)?, options.tls()?);
    let manager = Manager::from_config(config, tls, ManagerConfig { recycling_method });
    let mut builder = Pool::builder(manager);
    if let Some(hook) = on_new {
        builder = builder.post_create(hook);
    }
    builder
        .max_size(size)
        // The last one that was used has its statements prepared and its plans warm.
        .queue_mode(QueueMode::Lifo)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(options.patience))
        .create_timeout(Some(options.patience))
        .build()
        .map_err(|error| StoreError::UrlInvalid { problem: error.to_string() })
}
