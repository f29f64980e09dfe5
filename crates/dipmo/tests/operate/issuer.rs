//! An issuer that others wrote: oidc-provider, in a process of its own.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

/// The issuer while it runs.
pub(crate) struct Issuer {
    child: Child,
    tell: ChildStdin,
    heard: Lines<BufReader<ChildStdout>>,
    pub(crate) url: String,
}

impl Issuer {
    pub(crate) fn start() -> Self {
        let provider = installed("DIPMO_TEST_OIDC_PROVIDER", "oidc-provider");
        let node = installed("DIPMO_TEST_JSFORCE", "jsforce").join("node_modules/.bin");
        let usual = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([node].into_iter().chain(std::env::split_paths(&usual)));
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/operate/issuer.mjs");
        let mut child = Command::new("node")
            .env("PATH", path.unwrap())
            .arg(script)
            .arg(provider)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("no node: run `cargo xtask services clients`");
        let tell = child.stdin.take().unwrap();
        let mut heard = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = heard.next().expect("oidc-provider does not start").unwrap();
        let url = ready.strip_prefix("ready ").unwrap().to_owned();
        Self { child, tell, heard, url }
    }

    /// Tells it what to do, and waits until it is done.
    pub(crate) fn does(&mut self, what: &str) {
        writeln!(self.tell, "{what}").unwrap();
        // It says something of its own now and then.
        let done = self.heard.by_ref().map(Result::unwrap).any(|line| line == what);
        assert!(done, "oidc-provider has ended");
    }

    /// A token of somebody for somebody, signed so, by the grant `client_credentials`.
    pub(crate) async fn token(&self, who: &str, audience: &str, algorithm: &str) -> String {
        let form = format!(
            "grant_type=client_credentials&scope=operate&resource=urn:{audience}:{algorithm}"
        );
        let asked = client()
            .post(format!("{}/token", self.url))
            .basic_auth(who, Some(format!("{who}-secret")))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form);
        let answer = asked.send().await.unwrap().text().await.unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer["access_token"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// How a door knows it.
    pub(crate) fn door(&self) -> String {
        format!(
            "admin:\n  listen: \"127.0.0.1:0\"\n  oidc:\n    issuer: {}\n    audience: dipmo\n    \
             roles: {{claim: groups, viewer: staff, operator: crm-operators, admin: platform-admins}}\n    \
             name: email\n",
            self.url
        )
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        // Both fail when it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn client() -> reqwest::Client {
    let tls = dipmo::wiring::outside::tls(false).unwrap();
    reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy().build().unwrap()
}

/// Where something is that others wrote.
fn installed(variable: &str, name: &str) -> PathBuf {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    let there = std::env::var_os(variable).map_or_else(|| tools.join(name), PathBuf::from);
    assert!(there.exists(), "no {name}: run `cargo xtask services clients`, or set {variable}");
    std::path::absolute(there).unwrap()
}
