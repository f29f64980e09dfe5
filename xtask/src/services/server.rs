//! One PostgreSQL server: a new data folder, the process on it, and the wait until it is ready.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use super::account::Account;
use super::folder::{ServiceFolder, random_hex, tail};
use super::postgres::Wanted;
use super::state::State;
use super::{Release, fetch, install, ports, postmaster};
use crate::process;

/// How long a server may take to accept connections.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that is ended, and its folder removed, unless it is kept.
pub(crate) struct Server {
    child: Option<Child>,
    state: State,
    folder: ServiceFolder,
}

impl Server {
    /// Starts a server on a new data folder and waits until it takes connections.
    pub(crate) fn start(home: &Path, wanted: &Wanted<'_>) -> Result<Self> {
        let account = Account::choose()?;
        let folder = ServiceFolder::create(home, wanted.service, &account)?;
        let cache = if account.can_reach(home) { home } else { folder.path() };
        let binaries = match wanted.release {
            Release::Installed => install::binaries()?,
            Release::Eighteen => fetch::binaries(cache)?,
        };
        let version = install::version(&binaries)?;
        let password = random_hex(24)?;
        let data = folder.path().join("data");
        account.private_folder(&data)?;
        account.private_folder(&folder.path().join("socket"))?;
        init_data(&binaries, &account, folder.path(), &password)?;
        let [port] = ports::free()?;
        let state = State {
            url: format!("postgres://dipmo:{password}@127.0.0.1:{port}/postgres"),
            pid: 0,
            version,
            data,
            fast: wanted.fast,
            kept: wanted.kept,
        };
        let mut server = Self { child: None, state, folder };
        server.launch(&binaries, &account, port)?;
        Ok(server)
    }

    /// What the state file says of it.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Leaves the server up.
    pub(crate) fn keep(mut self) -> State {
        self.child = None;
        self.folder.keep();
        self.state.clone()
    }

    fn launch(&mut self, binaries: &Path, account: &Account, port: u16) -> Result<()> {
        let folder = self.folder.path();
        let log_path = folder.join("log");
        let log = File::create(&log_path)?;
        let mut command = account.command(&binaries.join("postgres"));
        command.current_dir(folder).arg("-D").arg(&self.state.data);
        command.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-k"]).arg(folder.join("socket"));
        for setting in settings(self.state.fast) {
            command.args(["-c", setting]);
        }
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        process::check()?;
        // A group of its own: Ctrl-C on this tool must not reach a server that stays up.
        let child = command.process_group(0).spawn().context("cannot run postgres")?;
        self.state.pid = i32::try_from(child.id())?;
        self.child = Some(child);
        self.wait_until_ready(&log_path)
    }

    fn wait_until_ready(&mut self, log: &Path) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while !postmaster::is_ready(&self.state.data) {
            process::check()?;
            if let Some(child) = &mut self.child
                && let Some(status) = child.try_wait()?
            {
                bail!("postgres ended with {status}; its log ends with:\n{}", tail(log));
            }
            if Instant::now() > deadline {
                bail!(
                    "postgres is not ready after {PATIENCE:?}; its log ends with:\n{}",
                    tail(log)
                );
            }
            std::thread::sleep(process::TICK);
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // An error means that it has ended already.
            let _ = kill_process(Pid::from_child(child), Signal::QUIT);
            let _ = child.wait();
        }
    }
}

fn init_data(binaries: &Path, account: &Account, folder: &Path, password: &str) -> Result<()> {
    let password_file = folder.join("password");
    account_file(account, &password_file, password)?;
    let mut command = account.command(&binaries.join("initdb"));
    command.current_dir(folder).arg("-D").arg(folder.join("data"));
    command.args(["-U", "dipmo", "--encoding=UTF8", "--no-locale", "--no-sync"]);
    command.args(["--auth-host=scram-sha-256", "--auth-local=scram-sha-256"]);
    command.arg(format!("--pwfile={}", password_file.display()));
    let (ended, output) = process::output(command)?;
    fs::remove_file(&password_file)?;
    if !ended.success {
        bail!("initdb failed:\n{output}");
    }
    Ok(())
}

fn account_file(account: &Account, path: &Path, content: &str) -> Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(path)?;
    std::io::Write::write_all(&mut file, content.as_bytes())?;
    account.give(path)
}

/// What differs from the defaults.
///
/// A fast server keeps its dynamic shared memory in its data folder, so that one that is killed
/// leaves none behind; a durable one is measured and keeps the default.
fn settings(fast: bool) -> &'static [&'static str] {
    if fast {
        &[
            "max_connections=300",
            "timezone=UTC",
            "fsync=off",
            "full_page_writes=off",
            "dynamic_shared_memory_type=mmap",
        ]
    } else {
        &["max_connections=300", "timezone=UTC", "fsync=on", "synchronous_commit=on"]
    }
}
