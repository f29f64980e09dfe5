//! One process of Apache Kafka, with data of its own.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer as _};

use super::{PATIENCE, services, unique_name};
use crate::{ClientEvents, KafkaOptions, Settings};

/// A node that runs. It ends, and its data goes, with this value.
pub(super) struct Node {
    folder: PathBuf,
    process: Child,
}

/// Where a node is, before it is started.
#[derive(Clone, Copy)]
pub(super) struct Ports {
    pub(super) clients: u16,
    pub(super) controller: u16,
}

impl Node {
    /// A new node; `id` counts from 1 and says which of `all` are its own ports.
    pub(super) fn start(id: usize, all: &[Ports]) -> Self {
        let folder = std::env::temp_dir().join(unique_name("dipmo-broker"));
        fs::create_dir_all(&folder).expect("a folder");
        let properties = folder.join("server.properties");
        fs::write(&properties, text(&folder.join("data"), id, all)).expect("a file");
        let format = ["format", "--cluster-id", "dipmoTestsBroker00000A", "--config"];
        let mut formatting = java(&folder, "kafka.tools.StorageTool");
        let formatted = formatting.args(format).arg(properties).status().expect("Java");
        assert!(formatted.success(), "Kafka makes no storage");
        let process = run(&folder);
        Self { folder, process }
    }

    /// Ends it at once, as a power cut does. Its data stays.
    pub(super) fn kill(&mut self) {
        self.process.kill().expect("a process of ours");
        self.process.wait().expect("its end");
    }

    /// Starts it again on the same data and ports.
    pub(super) fn run_again(&mut self) {
        self.process = run(&self.folder);
    }

    pub(super) fn has_ended(&mut self) -> bool {
        self.process.try_wait().expect("a process of ours").is_some()
    }

    pub(super) fn signal(&self, signal: &str) {
        let pid = self.process.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().expect("the command kill");
        assert!(sent.success());
    }

    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // Nothing can be done about what fails here, and the test is over.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Ports that are free now: all are held until all are known.
pub(super) fn free_ports<const NODES: usize>() -> [Ports; NODES] {
    let hold = || TcpListener::bind("127.0.0.1:0").expect("a port");
    let held = [(); NODES].map(|()| (hold(), hold()));
    let port = |held: TcpListener| held.local_addr().expect("its address").port();
    held.map(|(clients, controller)| Ports { clients: port(clients), controller: port(controller) })
}

/// Waits until so many brokers know of each other; false when a node ended instead.
pub(super) fn come_up(options: &KafkaOptions, nodes: &mut [Node]) -> bool {
    let client = asking(options);
    let began = Instant::now();
    // The call itself waits for an answer.
    let known = || match client.fetch_metadata(None, Duration::from_secs(1)) {
        Ok(metadata) => metadata.brokers().len(),
        Err(_) => 0,
    };
    while known() < nodes.len() {
        if nodes.iter_mut().any(Node::has_ended) {
            return false;
        }
        let logs: Vec<String> = nodes.iter().map(Node::log).collect();
        assert!(began.elapsed() < PATIENCE * 4, "a broker hangs: {}", logs.join("\n\n"));
    }
    true
}

/// A client that only asks.
pub(super) fn asking(options: &KafkaOptions) -> BaseConsumer<ClientEvents> {
    let config = options.config(&Settings::default()).expect("valid options");
    options.client(&config, options.events()).expect("a client")
}

fn run(folder: &Path) -> Child {
    java(folder, "kafka.Kafka").arg(folder.join("server.properties")).spawn().expect("Java")
}

fn java(folder: &Path, class: &str) -> Command {
    let log = fs::File::options().create(true).append(true).open(folder.join("log"));
    let log = log.expect("a log file");
    let mut command = Command::new("java");
    // None lives for long: compiling well is not worth its while.
    command.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xmx256m"]);
    command.arg("-cp").arg(services::jars().join("*")).arg(class);
    command.stdin(Stdio::null()).stdout(log.try_clone().expect("a file")).stderr(log);
    command
}

/// The properties of a node: every topic has a copy on each, and all but one must have a record
/// before it is acknowledged.
fn text(data: &Path, id: usize, all: &[Ports]) -> String {
    let Ports { clients, controller } = all[id - 1];
    let voter = |(id, ports): (usize, &Ports)| format!("{id}@127.0.0.1:{}", ports.controller);
    let voters: Vec<String> = (1..).zip(all).map(voter).collect();
    let (copies, in_sync) = (all.len(), all.len().div_ceil(2));
    format!(
        "process.roles=broker,controller\nnode.id={id}\nlog.dirs={}\n\
         listeners=PLAINTEXT://127.0.0.1:{clients},CONTROLLER://127.0.0.1:{controller}\n\
         controller.listener.names=CONTROLLER\n\
         controller.quorum.voters={}\n\
         default.replication.factor={copies}\nmin.insync.replicas={in_sync}\n\
         offsets.topic.replication.factor={copies}\noffsets.topic.num.partitions=1\n\
         transaction.state.log.replication.factor={copies}\n\
         transaction.state.log.min.isr={in_sync}\n\
         share.coordinator.state.topic.replication.factor={copies}\n\
         share.coordinator.state.topic.min.isr={in_sync}\n\
         broker.heartbeat.interval.ms=500\nbroker.session.timeout.ms=4000\n\
         group.initial.rebalance.delay.ms=0\nauto.create.topics.enable=false\n",
        data.display(),
        voters.join(",")
    )
}
