//! A broker that a test may stop, start and freeze.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer as _};

use super::{PATIENCE, services, unique_name};
use crate::{ClientEvents, KafkaOptions, Settings};

/// One node of Apache Kafka with data of its own, which ends with the test.
pub struct OwnBroker {
    folder: PathBuf,
    address: String,
    process: Child,
}

impl OwnBroker {
    /// A new broker, ready for clients.
    #[must_use]
    pub fn start() -> Self {
        // A port that was free may be somebody's when the broker asks for it.
        std::iter::repeat_with(Self::try_to_start).take(5).flatten().next().expect("a broker")
    }

    fn try_to_start() -> Option<Self> {
        let folder = std::env::temp_dir().join(unique_name("dipmo-broker"));
        fs::create_dir_all(&folder).expect("a folder");
        let [port, controller] = free_ports();
        let address = format!("127.0.0.1:{port}");
        fs::write(folder.join("server.properties"), properties(&folder, port, controller))
            .expect("a file");
        let format = ["format", "--cluster-id", "dipmoTestsBroker00000A", "--config"];
        let formatted = java(&folder, "kafka.tools.StorageTool")
            .args(format)
            .arg(folder.join("server.properties"))
            .status()
            .expect("Java");
        assert!(formatted.success(), "Kafka makes no storage");
        let process = run(&folder);
        let mut broker = Self { folder, address, process };
        broker.comes_up().then_some(broker)
    }

    /// How to reach it.
    #[must_use]
    pub fn options(&self) -> KafkaOptions {
        KafkaOptions::new(&self.address)
    }

    /// Ends it at once, as a power cut does. Its data stays.
    pub fn kill(&mut self) {
        self.process.kill().expect("a process of ours");
        self.process.wait().expect("its end");
    }

    /// Starts it again after [`OwnBroker::kill`], on the same data and address.
    pub fn restart(&mut self) {
        self.process = run(&self.folder);
        assert!(self.comes_up(), "the broker does not start again: {}", self.log());
    }

    /// Stands still: connections stay open and nobody answers.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Goes on where it stood still.
    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let pid = self.process.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().expect("the command kill");
        assert!(sent.success());
    }

    /// Waits until it answers; false when it ended instead.
    fn comes_up(&mut self) -> bool {
        let options = self.options();
        let config = options.config(&Settings::default()).expect("valid options");
        let client: BaseConsumer<ClientEvents> =
            options.client(&config, options.events()).expect("a client");
        let began = Instant::now();
        // The call itself waits for an answer.
        while client.fetch_metadata(None, Duration::from_secs(1)).is_err() {
            if self.process.try_wait().expect("a process of ours").is_some() {
                return false;
            }
            assert!(began.elapsed() < PATIENCE * 4, "the broker hangs: {}", self.log());
        }
        true
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

impl Drop for OwnBroker {
    fn drop(&mut self) {
        // Nothing can be done about what fails here, and the test is over.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn run(folder: &Path) -> Child {
    java(folder, "kafka.Kafka").arg(folder.join("server.properties")).spawn().expect("Java")
}

fn java(folder: &Path, class: &str) -> Command {
    let log = fs::File::options().create(true).append(true).open(folder.join("log"));
    let log = log.expect("a log file");
    let mut command = Command::new("java");
    command.arg("-Xmx256m").arg("-cp").arg(services::jars().join("*")).arg(class);
    command.stdin(Stdio::null()).stdout(log.try_clone().expect("a file")).stderr(log);
    command
}

/// Ports that are free now: both are held until both are known.
fn free_ports() -> [u16; 2] {
    let held = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
    held.map(|held| held.local_addr().expect("its address").port())
}

fn properties(folder: &Path, port: u16, controller: u16) -> String {
    let folder = folder.join("data");
    format!(
        "process.roles=broker,controller\nnode.id=1\nlog.dirs={}\n\
         listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}\n\
         controller.listener.names=CONTROLLER\n\
         controller.quorum.voters=1@127.0.0.1:{controller}\n\
         offsets.topic.replication.factor=1\noffsets.topic.num.partitions=1\n\
         transaction.state.log.replication.factor=1\ntransaction.state.log.min.isr=1\n\
         share.coordinator.state.topic.replication.factor=1\n\
         share.coordinator.state.topic.min.isr=1\n\
         group.initial.rebalance.delay.ms=0\nauto.create.topics.enable=false\n",
        folder.display()
    )
}
