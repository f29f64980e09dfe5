//! An instance of the shop with a door for operators.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::program::said;
use crate::shop::Shop;

/// `dipmo run` while it runs, and a token for its door.
pub(crate) struct Server<'a> {
    shop: &'a Shop,
    child: Child,
    url: String,
}

impl<'a> Server<'a> {
    /// Starts it, and waits until it lets operators in.
    pub(crate) fn start(shop: &'a Shop) -> Self {
        Self::with(shop, "http", "admin: {listen: \"127.0.0.1:0\"}\n")
    }

    /// The same with a certificate, which is its own authority.
    pub(crate) fn start_encrypted(shop: &'a Shop) -> Self {
        let [certificate, key] = ["tls.cert.pem", "tls.key.pem"].map(key);
        let tls = format!("{{certificate: \"${{file:{certificate}}}\", key: \"${{file:{key}}}\"}}");
        Self::with(shop, "https", &format!("admin: {{listen: \"127.0.0.1:0\", tls: {tls}}}\n"))
    }

    /// The same with this door.
    pub(crate) fn behind(shop: &'a Shop, door: &str) -> Self {
        Self::with(shop, "http", door)
    }

    /// The same, and it archives what is older than a year.
    pub(crate) fn keeping(shop: &'a Shop) -> Self {
        let retention = "retention: {history: 365d, archive: {directory: archive}}\n";
        Self::with(shop, "http", &format!("admin: {{listen: \"127.0.0.1:0\"}}\n{retention}"))
    }

    fn with(shop: &'a Shop, scheme: &str, door: &str) -> Self {
        shop.0.write("door.yaml", door);
        let mut child = Command::new(env!("CARGO_BIN_EXE_dipmo"))
            .args(["run", "--roles", "process", "--health", "off", "--log-format", "json"])
            .args(["--overlay", "door.yaml"])
            .current_dir(&shop.0.0)
            .env_clear()
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let line = lines.find(|line| line.contains("operators are let in"));
        let line: Value = serde_json::from_str(&line.expect("it ended")).unwrap();
        // Nobody may stop reading: it would stop saying.
        std::thread::spawn(move || lines.for_each(drop));
        let url = format!("{scheme}://{}", line["fields"]["address"].as_str().unwrap());
        Self { shop, child, url }
    }

    /// A file with a token of a role.
    pub(crate) fn token(&self, role: &str) -> String {
        let made = self.shop.types(&["token", "make", role, "--role", role, "--for-ever"]);
        let file = format!("{role}.token");
        self.shop.0.write(&file, str::from_utf8(&made.stdout).unwrap());
        file
    }

    /// Asks it with the token of a file.
    pub(crate) fn types(&self, token_file: &str, arguments: &[&str]) -> Output {
        let whom = ["--server", &self.url, "--token-file", token_file];
        self.shop.types(&[arguments, &whom].concat())
    }

    /// The same of a command that ends so; both streams.
    #[track_caller]
    pub(crate) fn says(&self, code: i32, token_file: &str, arguments: &[&str]) -> String {
        let output = self.types(token_file, arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", said(&output));
        said(&output)
    }

    /// Asks it with a token in the environment.
    pub(crate) fn by_variable(&self, token_file: &str, arguments: &[&str]) -> Output {
        let token = self.shop.0.read(token_file);
        self.command(arguments).env("DIPMO_TOKEN", token).output().unwrap()
    }

    /// A command that asks it, before it runs.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dipmo"));
        command.args(arguments).args(["--server", &self.url]);
        command.current_dir(&self.shop.0.0).env_clear().stdin(Stdio::null());
        command
    }
}

/// A key or a certificate for this machine, for tests.
pub(crate) fn key(name: &str) -> String {
    let keys = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dipmo-salesforce/tests/client/keys");
    keys.join(name).display().to_string()
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        // Both fail when it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
