//! A proxy that counts round trips: how often the client speaks after the server has.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Stands between a store and its server.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    trips: Arc<AtomicUsize>,
}

impl Proxy {
    /// Listens on a port of its own and passes everything on to `server`.
    pub(crate) async fn start(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let trips = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&trips);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.unwrap();
                tokio::spawn(pass(client, server, Arc::clone(&counter)));
            }
        });
        Self { port, trips }
    }

    /// The round trips since it was asked last.
    pub(crate) fn take(&self) -> usize {
        self.trips.swap(0, Ordering::Relaxed)
    }
}

async fn pass(mut client: TcpStream, mut server: TcpStream, trips: Arc<AtomicUsize>) {
    let (mut from_client, mut from_server) = ([0; 65_536], [0; 65_536]);
    let mut server_spoke = true;
    loop {
        tokio::select! {
            read = client.read(&mut from_client) => {
                let Ok(n @ 1..) = read else { return };
                if std::mem::take(&mut server_spoke) {
                    trips.fetch_add(1, Ordering::Relaxed);
                }
                if server.write_all(&from_client[..n]).await.is_err() { return }
            }
            read = server.read(&mut from_server) => {
                let Ok(n @ 1..) = read else { return };
                server_spoke = true;
                if client.write_all(&from_server[..n]).await.is_err() { return }
            }
        }
    }
}
