//! The program, in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder that is removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("dipmo-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn dipmo(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dipmo"));
    command.args(arguments).current_dir(folder).env_clear();
    // The only secrets of the examples, and nobody is asked with them.
    command.env("ORDERS_TOKEN", "a-token-of-the-shop");
    for name in ["URL", "CLIENT_ID", "CLIENT_SECRET"] {
        command.env(format!("SALESFORCE_{name}"), "https://acme.example");
    }
    command.output().unwrap()
}

/// Both streams, as a terminal shows them of a program that writes to one of them.
pub(crate) fn said(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    format!("{out}{err}")
}
