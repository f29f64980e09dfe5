//! The shipped program, `dipmo run`, in a process of its own.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use tokio::process::{Child, Command};

/// How long it may take to be ready, or to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// `dipmo`, which `cargo xtask bench service` builds beside this program.
pub(super) fn path() -> Result<PathBuf> {
    let path = std::env::current_exe().context("this program has no path")?.with_file_name("dipmo");
    ensure!(path.exists(), "{} is not there: cargo build --release -p dipmo", path.display());
    Ok(path)
}

/// An instance that runs.
pub(super) struct Instance {
    child: Child,
    health: SocketAddr,
}

impl Instance {
    /// Starts one with a configuration, told of the outside by variables.
    pub(super) fn start(config: &Path, variables: &[(&str, &str)]) -> Result<Self> {
        let health = free_address()?;
        let mut command = Command::new(path()?);
        command.args(["run", "--log", "warn", "--log-format", "json", "--health"]);
        command.arg(health.to_string()).arg("--config").arg(config);
        command.envs(variables.iter().copied()).stdin(Stdio::null()).kill_on_drop(true);
        Ok(Self { child: command.spawn().context("dipmo does not start")?, health })
    }

    /// Waits until it says that it is ready.
    pub(super) async fn until_ready(&mut self) -> Result<()> {
        let began = Instant::now();
        while !self.is_ready() {
            if let Some(status) = self.child.try_wait()? {
                bail!("dipmo ended with {status}");
            }
            ensure!(began.elapsed() < PATIENCE, "dipmo is not ready after {PATIENCE:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }

    fn is_ready(&self) -> bool {
        let ask = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(self.health)?;
            stream.write_all(b"GET /ready HTTP/1.1\r\nhost: bench\r\nconnection: close\r\n\r\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        ask().is_ok_and(|answer| answer.starts_with("HTTP/1.1 200"))
    }

    /// What it has of the machine's memory now, in kilobytes.
    pub(super) fn resident_kilobytes(&self) -> Result<u64> {
        let id = self.child.id().context("dipmo has ended")?;
        crate::resident::now_kilobytes(id)
    }

    /// Asks it to end, and fails unless it ended everything that it had begun.
    pub(super) async fn stop(mut self) -> Result<()> {
        let id = self.child.id().context("dipmo has ended by itself")?;
        let told = Command::new("kill").arg("-TERM").arg(id.to_string()).status().await?;
        ensure!(told.success(), "dipmo cannot be told to end");
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await??;
        ensure!(status.success(), "dipmo ended with {status}");
        Ok(())
    }
}

/// An address that nobody listens at.
fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
