//! The server: real sockets, TLS, limits, and its end.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use dipmo_admin::{App, Role, Server, ServerOptions};
use reqwest::{Client, Response};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::rig::{PATIENCE, Rig};

/// A server that runs.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    client: Client,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

pub(crate) fn options() -> ServerOptions {
    ServerOptions::new(SocketAddr::from(([127, 0, 0, 1], 0)))
}

impl Running {
    pub(crate) async fn new(app: &App, options: ServerOptions) -> Self {
        let server = Server::bind(options).await.unwrap();
        let (address, stop) = (server.address(), CancellationToken::new());
        let (app, token) = (app.clone(), stop.clone());
        let task = tokio::spawn(async move { server.run(&app, token).await });
        Self { address, client: client(RootCertStore::empty()), stop, task }
    }

    pub(crate) async fn get(&self, path: &str, token: &str) -> Response {
        let request = self.client.get(format!("http://{}/api/v1{path}", self.address));
        request.bearer_auth(token).timeout(PATIENCE).send().await.unwrap()
    }

    pub(crate) async fn stop(self) {
        self.stop.cancel();
        tokio::time::timeout(PATIENCE, self.task).await.unwrap().unwrap();
    }
}

fn client(roots: RootCertStore) -> Client {
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    Client::builder().tls_backend_preconfigured(tls).no_proxy().build().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_answers_over_a_socket_and_knows_who_fails() {
    let rig = Rig::empty().await;
    let running = Running::new(&rig.app, options()).await;
    assert_eq!(running.get("/me", rig.token_of(Role::Viewer)).await.status(), 200);
    for _ in 0..10 {
        assert_eq!(running.get("/me", "wrong").await.status(), 401);
    }
    assert_eq!(running.get("/me", "wrong").await.status(), 429);
    let elsewhere = rig.ask_with(Some("wrong"), hyper::Method::GET, "/me", None).await;
    assert_eq!(elsewhere.status, 401, "only this address has failed");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_is_taken_is_no_address() {
    let rig = Rig::empty().await;
    let running = Running::new(&rig.app, options()).await;
    let error = Server::bind(ServerOptions::new(running.address)).await.err().unwrap();
    assert!(error.to_string().contains(&running.address.to_string()), "{error}");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_slow_is_let_go_and_makes_room() {
    let rig = Rig::empty().await;
    let mut options = options();
    options.limits.head_within = Duration::from_millis(300);
    options.limits.connections = 1;
    let running = Running::new(&rig.app, options).await;
    let mut slow = TcpStream::connect(running.address).await.unwrap();
    slow.write_all(b"GET /api/v1/me HTTP/1.1\r\n").await.unwrap();
    let answer = running.get("/me", rig.token_of(Role::Viewer)).await;
    assert_eq!(answer.status(), 200, "it waited for the only seat");
    let mut said = Vec::new();
    let read = slow.read_to_end(&mut said);
    let _ = tokio::time::timeout(PATIENCE, read).await.expect("it stays open");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_does_not_live_for_ever() {
    let rig = Rig::empty().await;
    let mut options = options();
    options.limits.life = Duration::from_millis(300);
    let running = Running::new(&rig.app, options).await;
    let mut events = running.get("/events", rig.token_of(Role::Viewer)).await;
    while events.chunk().await.unwrap().is_some() {}
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_certificate_it_speaks_tls() {
    let rig = Rig::empty().await;
    let folder = certificate();
    let pem = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let chain = vec![CertificateDer::from_pem_slice(&pem("server.pem")).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(&pem("server.key")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain.clone(), key)
        .unwrap();
    let options = ServerOptions { tls: Some(Arc::new(config)), ..options() };
    let running = Running::new(&rig.app, options).await;
    let mut roots = RootCertStore::empty();
    roots.add(chain[0].clone()).unwrap();
    let url = format!("https://localhost:{}/api/v1/me", running.address.port());
    let asked = client(roots).get(url).bearer_auth(rig.token_of(Role::Viewer)).send();
    assert_eq!(asked.await.unwrap().status(), 200);
    let url = format!("http://{}/api/v1/me", running.address);
    assert!(running.client.get(url).send().await.is_err(), "plain text is not understood");
    running.stop().await;
}

/// A certificate that signs itself, made anew for each test: no key is kept in the repository.
fn certificate() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
                     -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE -keyout server.key -out server.pem";
    let made = Command::new("openssl")
        .current_dir(folder.path())
        .args(arguments.split_whitespace())
        .output()
        .expect("no openssl: type `sudo apt-get install -y openssl`");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    folder
}
