//! Certificates for the brokers and for a client, and the authority that signed both.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::properties::USER;
use crate::process;
use crate::services::folder::remove_all;
use crate::services::maven::Partial;
use crate::services::packages;

/// Protects nothing: the store wants one, and its certificate is good for 127.0.0.1 alone. The key
/// of the client is encrypted with it too, as keys of clients are.
pub(crate) const STORE_PASSWORD: &str = "no-secret-of-dipmo";

/// What brokers and their clients need for TLS.
pub(crate) struct Certificates {
    /// The key and the certificate of the brokers.
    pub(crate) store: PathBuf,
    /// The authority, in PEM.
    pub(crate) authority: PathBuf,
    /// The certificate of a client that is [`USER`], in PEM.
    pub(crate) client: PathBuf,
    /// Its key, encrypted, in PEM.
    pub(crate) client_key: PathBuf,
}

/// The certificates in `cache`, made there once.
pub(crate) fn make(cache: &Path) -> Result<Certificates> {
    let folder = cache.join("kafka-certificates");
    let certificates = Certificates {
        store: folder.join("broker.p12"),
        authority: folder.join("ca.pem"),
        client: folder.join("client.pem"),
        client_key: folder.join("client.key"),
    };
    // An older version of this tool made none for a client.
    if !certificates.client_key.exists() {
        let partial = Partial::new(cache.join("kafka-certificates.partial"));
        fill(partial.path(), &folder)?;
    }
    Ok(certificates)
}

fn fill(partial: &Path, folder: &Path) -> Result<()> {
    remove_all(partial)?;
    fs::create_dir_all(partial)?;
    keytool(partial, &[&["-genkeypair", "-dname", "CN=dipmo-test-ca", "-ext", "bc:c"], KEY, CA])?;
    let broker =
        ["-genkeypair", "-dname", "CN=127.0.0.1", "-ext", "san=ip:127.0.0.1,dns:localhost"];
    keytool(partial, &[&broker, KEY, &["-signer", "ca", "-alias", "broker"]])?;
    let authority = keytool(partial, &[&["-exportcert", "-rfc"], CA])?;
    fs::write(partial.join("ca.pem"), authority)?;
    client(partial)?;
    // A broker that finds two keys may show the wrong one.
    keytool(partial, &[&["-delete"], CA])?;
    remove_all(folder)?;
    fs::rename(partial, folder)
        .with_context(|| format!("cannot move the certificates to {}", folder.display()))
}

/// The files of a client, which wants PEM. Java tells nobody a key, so OpenSSL takes it out.
fn client(folder: &Path) -> Result<()> {
    packages::need("openssl", "openssl")?;
    let name = format!("CN={USER}");
    let pair = ["-genkeypair", "-dname", &name];
    keytool(folder, &[&pair, KEY, &["-signer", "ca", "-alias", "client"]])?;
    let password = format!("pass:{STORE_PASSWORD}");
    let source = ["-srckeystore", "broker.p12", "-srcstorepass", STORE_PASSWORD];
    let target = ["-destkeystore", "client.p12", "-deststorepass", STORE_PASSWORD];
    let copy = [&["-importkeystore", "-srcalias", "client"][..], &source, &target].concat();
    run(folder, "keytool", &copy)?;
    keytool(folder, &[&["-delete", "-alias", "client"]])?;
    let open = ["pkcs12", "-in", "client.p12", "-passin", &password];
    run(folder, "openssl", &[&open[..], &["-nokeys", "-clcerts", "-out", "client.pem"]].concat())?;
    let key = ["-nocerts", "-passout", &password, "-out", "client.key"];
    run(folder, "openssl", &[&open[..], &key].concat())?;
    Ok(())
}

const CA: &[&str] = &["-alias", "ca"];
const KEY: &[&str] = &["-keyalg", "EC", "-groupname", "secp256r1", "-validity", "3650"];

/// Runs `keytool` on the store in `folder`; returns what it printed.
fn keytool(folder: &Path, arguments: &[&[&str]]) -> Result<String> {
    let store = ["-keystore", "broker.p12", "-storepass", STORE_PASSWORD];
    run(folder, "keytool", &[&arguments.concat()[..], &store].concat())
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments);
    let (ended, output) = process::output(command)?;
    if !ended.success {
        bail!("{program} failed:\n{output}");
    }
    Ok(output)
}
