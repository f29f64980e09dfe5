//! The store: two threads, and what every call shares.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use dipmo_domain::{StoreError, Timestamp};
use dipmo_store::{Arrivals, Store, Tables};

use crate::connection::{self, Purpose};
use crate::options::SqliteOptions;
use crate::tx::Tx;
use crate::url::Place;
use crate::worker::Worker;
use crate::{migrate, wake};

/// A store in an SQLite file. Clones share its threads, which end with the last of them.
#[derive(Clone, Debug)]
pub struct SqliteStore {
    writer: Worker,
    reader: Worker,
    pub(crate) options: Arc<SqliteOptions>,
    tables: Arc<RwLock<Arc<Tables>>>,
    pub(crate) arrivals: Arc<Arrivals>,
    _memory: Option<Arc<OnlyMemory>>,
}

impl SqliteStore {
    /// Opens the file, or makes it. The schema is left as it is: see
    /// [`migrate`](Store::migrate).
    ///
    /// # Errors
    /// - [`StoreError::UrlInvalid`] when the URL is none of ours or its file is no database, or for
    ///   a second `sqlite::memory:`, which would not see what the first one stores;
    /// - [`StoreError::Unreachable`] when the folder does not exist or the file cannot be opened;
    /// - [`StoreError::ReadOnly`] when the file cannot be written;
    /// - [`StoreError::Busy`] when another process held the file for longer than our patience.
    pub async fn open(options: SqliteOptions) -> Result<Self, StoreError> {
        let place = Place::parse(&options.url)?;
        let memory = match place {
            Place::Memory => Some(Arc::new(OnlyMemory::claim()?)),
            Place::File(_) => None,
        };
        let (options, place) = (Arc::new(options), Arc::new(place));
        let start = async |name, purpose| {
            let (options, of) = (Arc::clone(&options), Arc::clone(&place));
            let open = move || connection::open(&options, &of, purpose);
            Worker::start(name, Arc::clone(&place), open).await
        };
        let writer = start("dipmo-sqlite-write", Purpose::Write).await?;
        let reader = match &memory {
            // A database in memory is that of its one connection.
            Some(_) => writer.clone(),
            None => start("dipmo-sqlite-read", Purpose::Read).await?,
        };
        let tables = Arc::new(RwLock::new(Arc::new(options.tables.clone())));
        let arrivals = wake::channels(&place);
        Ok(Self { writer, reader, options, tables, arrivals, _memory: memory })
    }

    /// Does something in a transaction of the writer, commits, and wakes who waits for it: on the
    /// thread, so that a caller who went away meanwhile leaves nobody asleep.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let arrivals = Arc::clone(&self.arrivals);
        let job = move |connection: &mut rusqlite::Connection| {
            let mut tx = Tx::write(connection)?;
            let value = work(&mut tx)?;
            let arrived = tx.arrived_on();
            tx.commit()?;
            arrived.into_iter().flatten().for_each(|side| arrivals.tell(side));
            Ok(value)
        };
        self.writer.call(job).await
    }

    /// Reads, all of it as of one moment.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.reader.call(move |connection| work(&Tx::read(connection)?)).await
    }

    /// What `migrate` was given.
    pub(crate) fn set_tables(&self, tables: Arc<Tables>) {
        *self.tables.write().unwrap_or_else(PoisonError::into_inner) = tables;
    }

    /// The tables of the processes.
    pub(crate) fn tables(&self) -> Arc<Tables> {
        Arc::clone(&self.tables.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn check_schema(&self) -> Result<(), StoreError> {
        self.read(migrate::check).await
    }

    async fn now(&self) -> Result<Timestamp, StoreError> {
        self.read(|tx| Ok(tx.now())).await
    }
}

/// The right to be the one database in memory of this process.
#[derive(Debug)]
struct OnlyMemory;

static MEMORY_IS_OPEN: AtomicBool = AtomicBool::new(false);

impl OnlyMemory {
    fn claim() -> Result<Self, StoreError> {
        if MEMORY_IS_OPEN.swap(true, Ordering::SeqCst) {
            let problem = "sqlite::memory: is open already, and a second instance would not see \
                           what the first one stores; use a file"
                .to_owned();
            return Err(StoreError::UrlInvalid { problem });
        }
        Ok(Self)
    }
}

impl Drop for OnlyMemory {
    fn drop(&mut self) {
        MEMORY_IS_OPEN.store(false, Ordering::SeqCst);
    }
}
