//! Clients of Kafka that others wrote, for the tests that talk to them: kcat and confluent-kafka.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::folder::remove_all;
use super::maven::{Partial, run};
use super::registry::Registry;
use super::{account, packages};
use crate::workspace;

/// The variable that names a Python with confluent-kafka to use instead of making one.
pub(crate) const VARIABLE: &str = "DIPMO_TEST_PYTHON";

/// Raised by hand, so that two machines never test with different clients.
const CONFLUENT_KAFKA: &str = "2.11.1";

/// Makes sure that both are there; answers the Python that has confluent-kafka.
pub(crate) fn ensure(registry: &Registry) -> Result<PathBuf> {
    let _changing = registry.lock()?;
    packages::need("kcat", "kcat")?;
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return Ok(named.into());
    }
    let tools = workspace::target_folder("tools")?;
    let folder = tools.join("kafka-clients");
    // Written last: what was interrupted is made anew, and so is another version.
    let made = fs::read_to_string(folder.join("version")).unwrap_or_default();
    if made != CONFLUENT_KAFKA {
        let partial = Partial::new(tools.join("kafka-clients.partial"));
        make(partial.path(), &folder).context("confluent-kafka was not installed")?;
    }
    Ok(folder.join("bin").join("python"))
}

fn make(partial: &Path, folder: &Path) -> Result<()> {
    println!("installing confluent-kafka {CONFLUENT_KAFKA} with pip; this happens once");
    packages::need("python3", "python3")?;
    remove_all(partial)?;
    if let Err(error) = run(environment(partial)) {
        // Debian's Python comes without what makes one.
        if !account::is_root() {
            return Err(error.context("Type: sudo apt-get install -y python3-venv"));
        }
        packages::install("python3-venv")?;
        remove_all(partial)?;
        run(environment(partial))?;
    }
    let mut pip = Command::new(partial.join("bin").join("python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        "--only-binary",
        ":all:",
    ]);
    pip.arg(format!("confluent-kafka=={CONFLUENT_KAFKA}"));
    run(pip)?;
    fs::write(partial.join("version"), CONFLUENT_KAFKA)?;
    remove_all(folder)?;
    fs::rename(partial, folder)
        .with_context(|| format!("cannot move the clients to {}", folder.display()))
}

/// A Python of its own, so that nothing is installed into the system's.
fn environment(folder: &Path) -> Command {
    let mut command = Command::new("python3");
    command.args(["-m", "venv"]).arg(folder);
    command
}
