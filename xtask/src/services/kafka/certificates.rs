//! A certificate for the brokers, and the authority that signed it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;
use crate::services::maven::Partial;

/// Protects nothing: the store wants one, and its certificate is good for 127.0.0.1 alone.
pub(crate) const STORE_PASSWORD: &str = "dipmo-test";

/// What brokers and their clients need for TLS.
pub(crate) struct Certificates {
    /// The key and the certificate of the brokers.
    pub(crate) store: PathBuf,
    /// The authority, in PEM.
    pub(crate) authority: PathBuf,
}

/// The certificates in `cache`, made there once.
pub(crate) fn make(cache: &Path) -> Result<Certificates> {
    let folder = cache.join("kafka-certificates");
    if !folder.exists() {
        let partial = Partial::new(cache.join("kafka-certificates.partial"));
        fill(partial.path(), &folder)?;
    }
    Ok(Certificates { store: folder.join("broker.p12"), authority: folder.join("ca.pem") })
}

fn fill(partial: &Path, folder: &Path) -> Result<()> {
    crate::services::folder::remove_all(partial)?;
    fs::create_dir_all(partial)?;
    keytool(partial, &[&["-genkeypair", "-dname", "CN=dipmo-test-ca", "-ext", "bc:c"], KEY, CA])?;
    let broker =
        ["-genkeypair", "-dname", "CN=127.0.0.1", "-ext", "san=ip:127.0.0.1,dns:localhost"];
    keytool(partial, &[&broker, KEY, &["-signer", "ca", "-alias", "broker"]])?;
    let authority = keytool(partial, &[&["-exportcert", "-rfc"], CA])?;
    fs::write(partial.join("ca.pem"), authority)?;
    // A broker that finds two keys may show the wrong one.
    keytool(partial, &[&["-delete"], CA])?;
    fs::rename(partial, folder)
        .with_context(|| format!("cannot move the certificates to {}", folder.display()))
}

const CA: &[&str] = &["-alias", "ca"];
const KEY: &[&str] = &["-keyalg", "EC", "-groupname", "secp256r1", "-validity", "3650"];

/// Runs `keytool` on the store in `folder`; returns what it printed.
fn keytool(folder: &Path, arguments: &[&[&str]]) -> Result<String> {
    let mut command = Command::new("keytool");
    command.current_dir(folder).args(arguments.concat());
    command.args(["-keystore", "broker.p12", "-storepass", STORE_PASSWORD]);
    let (ended, output) = process::output(command)?;
    if !ended.success {
        bail!("keytool failed:\n{output}");
    }
    Ok(output)
}
