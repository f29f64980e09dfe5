//! A service in a process of its own, and what tests ask of it.

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use dipmo::service::{Asked, ask};
use rdkafka::ClientConfig;
use rdkafka::producer::{BaseRecord, DefaultProducerContext, Producer as _, ThreadedProducer};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio_postgres::Client;

/// Nothing here takes so long unless it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A configuration of the examples.
pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).join("dipmo.yaml")
}

/// A file of a test's own.
pub(crate) fn file(name: &str, text: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).unwrap();
    file
}

/// Nobody else listens there for now.
pub(crate) fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// `dipmo` with some words.
pub(crate) fn dipmo(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dipmo"));
    command.args(words).stdin(Stdio::null());
    command
}

/// What a command that ends by itself said, on both ways out.
pub(crate) fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// `dipmo run` while it runs.
pub(crate) struct Service {
    child: Child,
    said: Arc<Mutex<String>>,
    secrets: Vec<String>,
    listening: Option<JoinHandle<()>>,
}

impl Service {
    /// Runs an example with an overlay, told of the outside by these variables.
    pub(crate) fn start(name: &str, overlay: &Path, variables: &[(&str, &str)]) -> Self {
        Self::start_as("consume,process,publish", name, overlay, variables)
    }

    /// The same in some roles.
    pub(crate) fn start_as(
        roles: &str,
        name: &str,
        overlay: &Path,
        variables: &[(&str, &str)],
    ) -> Self {
        let program = Path::new(env!("CARGO_BIN_EXE_dipmo"));
        Self::start_program(program, roles, &[&example(name), overlay], variables)
    }

    /// The same of any version of dipmo, with a configuration and what changes it.
    pub(crate) fn start_program(
        program: &Path,
        roles: &str,
        files: &[&Path; 2],
        variables: &[(&str, &str)],
    ) -> Self {
        Self::start_words(program, roles, files, &[], variables)
    }

    /// The same with some words more.
    pub(crate) fn start_words(
        program: &Path,
        roles: &str,
        [config, overlay]: &[&Path; 2],
        words: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let mut command = Command::new(program);
        command.stdin(Stdio::null()).arg("run");
        command.arg("--config").arg(config).arg("--overlay").arg(overlay);
        command.args(["--health", "127.0.0.1:0", "--roles", roles, "--log-format", "json"]);
        command.args(words);
        // All that anybody says: none of it may be a secret.
        command.args(["--log", "debug"]).envs(variables.iter().copied()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (said, mut out) = (Arc::<Mutex<String>>::default(), child.stderr.take().unwrap());
        let heard = Arc::clone(&said);
        let listening = std::thread::spawn(move || {
            let mut some = [0; 4096];
            while let Ok(read @ 1..) = out.read(&mut some) {
                heard.lock().unwrap().push_str(&String::from_utf8_lossy(&some[..read]));
            }
        });
        let secrets = variables.iter().filter_map(|(name, value)| secret(name, value)).collect();
        Self { child, said, secrets, listening: Some(listening) }
    }

    /// Asks for its health as a probe does, until it is ready.
    pub(crate) fn until_ready(&self) {
        let began = Instant::now();
        loop {
            let said = self.said.lock().unwrap().clone();
            let asked = address(&said).map(|address| {
                dipmo(&["health", "ready", "--address", &address]).output().unwrap()
            });
            if asked.as_ref().is_some_and(|output| output.status.success()) {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "it is not ready: {asked:?}\n{said}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Whether a line of its log has these words.
    pub(crate) fn has_said(&self, words: &str) -> bool {
        self.said.lock().unwrap().contains(words)
    }

    /// Asks its health port for a path until it answers something.
    pub(crate) fn until_told(&self, path: &str, is: impl Fn(&Asked) -> bool) -> Asked {
        let began = Instant::now();
        loop {
            let said = self.said.lock().unwrap().clone();
            let asked = address(&said).and_then(|address| ask(address.parse().unwrap(), path).ok());
            match asked {
                Some(asked) if is(&asked) => return asked,
                _ => assert!(began.elapsed() < PATIENCE, "not what it tells: {asked:?}\n{said}"),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Asks it to end, as a manager does; says how it ended, and how long that took.
    pub(crate) fn terminate(mut self) -> (ExitStatus, Duration) {
        let began = Instant::now();
        self.signal(Signal::TERM);
        let status = self.child.wait().unwrap();
        let took = began.elapsed();
        self.listening.take().unwrap().join().unwrap();
        (status, took)
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Ends it at once, wherever it stands.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to end, and finds that it ended well and told no secret.
    pub(crate) fn ends_well(mut self) {
        let (said, secrets) = (Arc::clone(&self.said), std::mem::take(&mut self.secrets));
        let (status, took) = self.terminate();
        let said = said.lock().unwrap();
        assert!(!secrets.is_empty() && said.contains("\"level\":"), "{said}");
        let told = secrets.iter().find(|secret| said.contains(secret.as_str()));
        assert_eq!(told, None, "a secret is told");
        assert_eq!(status.code(), Some(0), "{said}");
        assert!(took < Duration::from_secs(10), "it took {took:?}: {said}");
    }

    /// Waits until a number that a query finds is at least this.
    pub(crate) async fn until_at_least(&mut self, client: &Client, number: i64, query: &str) {
        let began = Instant::now();
        loop {
            // Before the first migration there is no table.
            let found = client.query_one(query, &[]).await.map_or(-1, |row| row.get::<_, i64>(0));
            if found >= number {
                return;
            }
            let ended = self.child.try_wait().unwrap();
            let is_late = began.elapsed() > PATIENCE;
            let said = || self.said.lock().unwrap().clone();
            assert!(ended.is_none() && !is_late, "{query}: {found}, not {number}\n{}", said());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Where an instance tells its health, by its log.
fn address(said: &str) -> Option<String> {
    let line = said.lines().find(|line| line.contains("health is told"))?;
    let line: Value = serde_json::from_str(line).ok()?;
    line["fields"]["address"].as_str().map(str::to_owned)
}

/// What nobody may read of a variable.
fn secret(name: &str, value: &str) -> Option<String> {
    match name {
        "DATABASE_URL" => {
            let (user, _) = value.split_once('@')?;
            Some(user.rsplit_once(':')?.1.to_owned())
        }
        "SALESFORCE_CLIENT_SECRET" | "ORDERS_TOKEN" => Some(value.to_owned()),
        _ => None,
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Both fail when it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Somebody who sends JSON to a topic.
pub(crate) struct Producer(ThreadedProducer<DefaultProducerContext>);

impl Producer {
    pub(crate) fn new(brokers: &str) -> Self {
        let mut config = ClientConfig::new();
        Self(config.set("bootstrap.servers", brokers).create().unwrap())
    }

    pub(crate) fn send(&self, topic: &str, key: &str, value: &Value) {
        let value = value.to_string();
        self.0.send(BaseRecord::to(topic).key(key).payload(&value)).map_err(|it| it.0).unwrap();
    }

    /// Waits until the broker has everything.
    pub(crate) fn flush(&self) {
        tokio::task::block_in_place(|| self.0.flush(PATIENCE)).unwrap();
    }
}
