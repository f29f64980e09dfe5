//! A key and its certificate, made anew for each run: no key is kept in the repository.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

/// What an app of the org is given: its certificate; and what its client keeps: the key.
pub(crate) struct Keys {
    folder: TempDir,
}

impl Keys {
    pub(crate) fn new() -> Self {
        let keys = Keys { folder: tempfile::tempdir().unwrap() };
        let request = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=conformance";
        let mut openssl = Command::new("openssl");
        openssl.args(request.split(' ')).arg("-keyout").arg(keys.key());
        let made = openssl.arg("-out").arg(keys.certificate()).output();
        let made = made.expect("no openssl: type `sudo apt-get install -y openssl`");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        keys
    }

    /// The file of the private key, in PEM.
    pub(crate) fn key(&self) -> PathBuf {
        self.folder.path().join("key.pem")
    }

    /// The file of the certificate, in PEM.
    pub(crate) fn certificate(&self) -> PathBuf {
        self.folder.path().join("certificate.pem")
    }

    /// A file beside them with this text, which goes away with them.
    pub(crate) fn beside(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }
}
