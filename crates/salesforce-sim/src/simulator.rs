//! A simulator in the process of whoever starts it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::Error;
use crate::clock::Clock;
use crate::schema::Schema;
use crate::server::accept::accept;
use crate::server::world::World;

/// How a simulator is started.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen at. Defaults to loopback.
    pub host: IpAddr,
    /// The port. Defaults to 0, which means any that is free.
    pub port: u16,
    /// The rules of the org. Defaults to the standard objects alone.
    pub schema: SchemaSource,
    /// What shuffled results, latencies and tokens depend on. Defaults to 0.
    pub seed: u64,
}

/// Where the rules of the org come from. The standard objects are always there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SchemaSource {
    /// The standard objects alone.
    #[default]
    Standard,
    /// YAML.
    Text(String),
    /// A file of YAML. Certificates that it names are looked for next to it.
    File(PathBuf),
}

impl Default for Options {
    fn default() -> Self {
        let host = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Options { host, port: 0, schema: SchemaSource::Standard, seed: 0 }
    }
}

impl SchemaSource {
    fn read(&self) -> Result<Schema, Error> {
        let schema = match self {
            SchemaSource::Standard => Schema::standard(),
            SchemaSource::Text(text) => Schema::parse(text),
            SchemaSource::File(path) => Schema::load(path),
        };
        Ok(schema?)
    }
}

/// A running simulator. It stops when it is dropped.
pub struct Simulator {
    pub(crate) world: Arc<World>,
    address: SocketAddr,
    stop: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

impl Simulator {
    /// Starts a simulator on the current Tokio runtime. It listens when this returns.
    ///
    /// # Errors
    ///
    /// A schema or certificate that is wrong, or an address that is taken.
    pub async fn start(options: Options) -> Result<Self, Error> {
        let schema = options.schema.read()?;
        let address = SocketAddr::new(options.host, options.port);
        let unable = |source| Error::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(unable)?;
        let address = listener.local_addr().map_err(unable)?;
        let (stop, stopped) = watch::channel(false);
        let url = format!("http://{address}");
        let world = World::new(url, schema, Clock::new(options.seed), stopped.clone())?;
        let world = Arc::new(world);
        let accepting = tokio::spawn(accept(Arc::clone(&world), listener, stopped));
        Ok(Simulator { world, address, stop, accepting })
    }

    /// Its address, such as `http://127.0.0.1:40123`, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.world.url
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Stops it: connections end, jobs end where they are, and the port is free.
    pub async fn stop(self) {
        // Nobody listens only if all tasks have ended already.
        let _ = self.stop.send(true);
        let _ = self.accepting.await;
    }
}
