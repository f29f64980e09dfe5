//! One Kafka cluster: a folder, a process for each node, and the wait until all are ready.

use std::fs::{self, File};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::properties::{GUEST, LOGGING, Plan, Ports, USER};
use super::state::{Node, Secure, State};
use super::{MOST_NODES, SERVICE, Wanted, broker, certificates, jars};
use crate::process;
use crate::services::account::Account;
use crate::services::folder::{ServiceFolder, random_hex, tail};
use crate::services::{packages, ports};

/// How long all nodes together may take; one alone takes a few seconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often a start is tried when another program was faster at a port.
const ATTEMPTS: usize = 3;

/// Writes its own process id before it becomes the broker, so that one whose starter was killed
/// can always be found.
const WITH_PID_FILE: &str = r#"echo $$ > "$1" && shift && exec "$@""#;

/// A cluster that is ended, and its folder removed, unless it is kept.
pub(crate) struct Cluster {
    children: Vec<Child>,
    state: State,
    folder: ServiceFolder,
}

/// Another program took a port between our look and the start.
#[derive(Debug)]
struct PortTaken;

impl std::fmt::Display for PortTaken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("another program takes our ports again and again")
    }
}

impl std::error::Error for PortTaken {}

impl Cluster {
    /// Starts a cluster on new data folders and waits until every node takes connections.
    pub(crate) fn start(home: &Path, wanted: &Wanted) -> Result<Self> {
        packages::need("java", "default-jre-headless")?;
        let jars = jars::folder(home)?;
        let mut attempts = 1..ATTEMPTS;
        loop {
            match Self::attempt(home, &jars, wanted) {
                Err(error) if error.is::<PortTaken>() && attempts.next().is_some() => {}
                outcome => return outcome,
            }
        }
    }

    /// What the state file says of it.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Leaves the cluster up.
    pub(crate) fn keep(mut self) -> State {
        self.children.clear();
        self.folder.keep();
        self.state.clone()
    }

    fn attempt(home: &Path, jars: &Path, wanted: &Wanted) -> Result<Self> {
        let folder = ServiceFolder::create(home, SERVICE, &Account::Own)?;
        let plan = Plan {
            folder: folder.path().to_path_buf(),
            nodes: free_ports(wanted.nodes)?,
            password: random_hex(24)?,
            certificates: certificates::make(home)?,
        };
        write_files(&plan)?;
        format_data(&plan, jars)?;
        let state = describe(&plan, jars, wanted.kept);
        let mut cluster = Self { children: Vec::new(), state, folder };
        for id in plan.ids() {
            cluster.launch(&plan.home(id), id)?;
        }
        cluster.wait_until_ready(&plan)?;
        Ok(cluster)
    }

    fn launch(&mut self, home: &Path, id: usize) -> Result<()> {
        let log = File::create(home.join("log"))?;
        let properties = home.join("server.properties");
        let mut command = Command::new("sh");
        command.current_dir(home).args(["-c", WITH_PID_FILE, "sh", "pid", "java", "-Xmx512m"]);
        // Whatever it unpacks or leaves for other tools goes away with its folder.
        command.arg("-XX:-UsePerfData").arg(format!("-Djava.io.tmpdir={}", home.display()));
        command.arg("-Dlog4j2.configurationFile=log4j2.properties");
        command.arg("-cp").arg(self.state.jars.join("*")).arg(broker::CLASS).arg(&properties);
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        process::check()?;
        // A group of its own: Ctrl-C on this tool must not reach a server that stays up.
        let child = command.process_group(0).spawn().context("cannot run java")?;
        let pid = i32::try_from(child.id())?;
        self.children.push(child);
        self.state.nodes.push(Node { id, pid, properties });
        Ok(())
    }

    fn wait_until_ready(&mut self, plan: &Plan) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        for (id, ports) in plan.ids().zip(&plan.nodes) {
            let log = plan.home(id).join("log");
            while !is_ready(&log, ports) {
                process::check()?;
                self.check_that_all_run(plan)?;
                if Instant::now() > deadline {
                    bail!(
                        "node {id} is not ready after {PATIENCE:?}; its log ends with:\n{}",
                        tail(&log)
                    );
                }
                std::thread::sleep(process::TICK);
            }
        }
        Ok(())
    }

    fn check_that_all_run(&mut self, plan: &Plan) -> Result<()> {
        for (id, child) in plan.ids().zip(&mut self.children) {
            let Some(status) = child.try_wait()? else { continue };
            let log = plan.home(id).join("log");
            if says(&log, "java.net.BindException") {
                bail!(PortTaken);
            }
            bail!("node {id} ended with {status}; its log ends with:\n{}", tail(&log));
        }
        Ok(())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for child in &mut self.children {
            // An error means that it has ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn free_ports(nodes: usize) -> Result<Vec<Ports>> {
    let free: [u16; 6 * MOST_NODES] = ports::free()?;
    let (nodes_of_six, _) = free.as_chunks::<6>();
    let ports = nodes_of_six.iter().take(nodes).map(
        |&[plaintext, controller, ssl, sasl_plaintext, sasl_ssl, mtls]| Ports {
            plaintext,
            controller,
            ssl,
            sasl_plaintext,
            sasl_ssl,
            mtls,
        },
    );
    Ok(ports.collect())
}

fn write_files(plan: &Plan) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    for id in plan.ids() {
        let home = plan.home(id);
        // The properties hold a password, so only the owner may enter.
        fs::DirBuilder::new().mode(0o700).create(&home)?;
        fs::write(home.join("server.properties"), plan.properties(id))?;
        fs::write(home.join("log4j2.properties"), LOGGING)?;
    }
    Ok(())
}

/// Gives every node its data folder: the same cluster, and the same users.
fn format_data(plan: &Plan, jars: &Path) -> Result<()> {
    // 16 bytes in base64 end with one of four letters, of which A is one.
    let cluster: String = random_hex(11)?.chars().take(21).chain(['A']).collect();
    for id in plan.ids() {
        let mut command = Command::new("java");
        // It lives for a second: compiling well is not worth its while.
        command.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-cp"]);
        command.arg(jars.join("*")).args(["kafka.tools.StorageTool", "format", "-t", &cluster]);
        command.arg("-c").arg(plan.home(id).join("server.properties"));
        for user in [USER, GUEST] {
            let password = &plan.password;
            for mechanism in ["SCRAM-SHA-256", "SCRAM-SHA-512"] {
                command.arg("--add-scram");
                command.arg(format!("{mechanism}=[name={user},password={password}]"));
            }
        }
        let (ended, output) = process::output(command)?;
        if !ended.success {
            bail!("the data folder of node {id} was not made:\n{output}");
        }
    }
    Ok(())
}

fn describe(plan: &Plan, jars: &Path, kept: bool) -> State {
    State {
        bootstrap_servers: plan.servers(|ports| ports.plaintext),
        secure: Secure {
            ssl: plan.servers(|ports| ports.ssl),
            sasl_plaintext: plan.servers(|ports| ports.sasl_plaintext),
            sasl_ssl: plan.servers(|ports| ports.sasl_ssl),
            user: USER.to_owned(),
            guest: GUEST.to_owned(),
            password: plan.password.clone(),
            ca: plan.certificates.authority.clone(),
            mtls: plan.servers(|ports| ports.mtls),
            client_certificate: plan.certificates.client.clone(),
            client_key: plan.certificates.client_key.clone(),
            client_key_password: certificates::STORE_PASSWORD.to_owned(),
        },
        version: jars::VERSION.to_owned(),
        nodes: Vec::new(),
        folder: plan.folder.clone(),
        jars: jars.to_path_buf(),
        kept,
    }
}

fn is_ready(log: &Path, ports: &Ports) -> bool {
    says(log, "Kafka Server started") && TcpStream::connect(("127.0.0.1", ports.plaintext)).is_ok()
}

fn says(log: &Path, words: &str) -> bool {
    fs::read_to_string(log).is_ok_and(|text| text.contains(words))
}
