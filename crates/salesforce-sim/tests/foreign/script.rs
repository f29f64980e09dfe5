//! Runs an operation in a client's own language.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::simulator::{CLIENT_ID, CLIENT_SECRET, REFRESH_TOKEN, Simulator, USERNAME};

/// A client that a script in `tests/clients` uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    Jsforce,
    SimpleSalesforce,
}

impl Client {
    /// Runs one operation of its script against this simulator; answers what the client understood.
    pub(crate) fn run(self, simulator: &Simulator, operation: &str) -> Value {
        let told = json!({
            "url": simulator.url,
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
            "refresh_token": REFRESH_TOKEN,
            "username": USERNAME,
            "key_file": simulator.keys.key(),
        });
        let ended = finish(self.command().arg(operation), &told.to_string());
        let (printed, errors) =
            (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        assert!(ended.status.success(), "{self:?} {operation}: {errors}{printed}");
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
    }

    fn command(self) -> Command {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
        match self {
            Client::Jsforce => {
                let folder = jsforce();
                let mut node = Command::new("node");
                node.env("PATH", path_with(&[&folder])).arg(scripts.join("jsforce.mjs"));
                node.arg(folder);
                node
            }
            Client::SimpleSalesforce => {
                let python =
                    installed("DIPMO_TEST_PYTHON", "python-clients/bin/python", "services clients");
                let mut python = Command::new(python);
                python.arg(scripts.join("simple.py"));
                python
            }
        }
    }
}

/// The folder where npm has put jsforce, and a Node.js.
pub(crate) fn jsforce() -> PathBuf {
    installed("DIPMO_TEST_JSFORCE", "jsforce", "services clients")
}

/// The places of programs, those of these packages first.
pub(crate) fn path_with(folders: &[&Path]) -> OsString {
    let own = folders.iter().map(|folder| folder.join("node_modules/.bin"));
    let usual = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(own.chain(std::env::split_paths(&usual))).unwrap()
}

/// Where a client is: what the variable says, else where this command of xtask puts it.
pub(crate) fn installed(variable: &str, place: &str, command: &str) -> PathBuf {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    let there = std::env::var_os(variable).map_or_else(|| tools.join(place), PathBuf::from);
    assert!(there.exists(), "no {place}: run `cargo xtask {command}`, or set {variable}");
    std::path::absolute(there).unwrap()
}

/// Runs a program to its end with this input.
pub(crate) fn finish(command: &mut Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = command
        .spawn()
        .unwrap_or_else(|error| panic!("no {}: {error}", command.get_program().display()));
    running.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    running.wait_with_output().unwrap()
}
