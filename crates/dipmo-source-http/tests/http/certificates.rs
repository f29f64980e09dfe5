//! An authority and what it signs, made anew for each test: no key is kept in the repository.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A folder with an authority, a certificate of the source and certificates of clients.
pub(crate) struct Certificates(TempDir);

impl Certificates {
    pub(crate) fn new() -> Self {
        let made = Self(tempfile::tempdir().unwrap());
        let request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=authority \
                       -addext basicConstraints=critical,CA:TRUE -keyout ca.key -out ca.pem";
        openssl(made.0.path(), request);
        made.sign("server", "localhost");
        made.sign("shop", "shop.example");
        made.sign("till", "till.example");
        made
    }

    fn sign(&self, name: &str, dns: &str) {
        let folder = self.0.path();
        std::fs::write(folder.join("names"), format!("subjectAltName=DNS:{dns}")).unwrap();
        openssl(
            folder,
            &format!(
                "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={name} -keyout {name}.key -out {name}.csr"
            ),
        );
        openssl(
            folder,
            &format!(
                "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out {name}.pem"
            ),
        );
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap()
    }
}

fn openssl(folder: &Path, arguments: &str) {
    let made =
        Command::new("openssl").current_dir(folder).args(arguments.split_whitespace()).output();
    let made = made.expect("no openssl: type `sudo apt-get install -y openssl`");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}
