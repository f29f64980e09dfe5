//! The state of a Kafka cluster, as its file says it.
//!
//! Tests read addresses and credentials, so a field may be added and none renamed.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::broker;

/// What is known of a cluster that was started.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    /// Addresses without TLS and without a login, separated by commas.
    pub(crate) bootstrap_servers: String,
    /// The same brokers by their other listeners.
    pub(crate) secure: Secure,
    /// The version of Apache Kafka, such as `4.3.1`.
    pub(crate) version: String,
    /// One for each node; its process is broker and controller.
    pub(crate) nodes: Vec<Node>,
    /// Holds a folder for each node.
    pub(crate) folder: PathBuf,
    /// The folder of the jars, for a test that needs a broker of its own.
    pub(crate) jars: PathBuf,
    /// Whether a person started it; the others go down with the last run that uses them.
    pub(crate) kept: bool,
}

/// One process of the cluster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Node {
    pub(crate) id: usize,
    pub(crate) pid: i32,
    /// What it was started with; the log is the file `log` beside it.
    pub(crate) properties: PathBuf,
}

/// How to reach the cluster with TLS and with a login.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Secure {
    /// Addresses with TLS alone.
    pub(crate) ssl: String,
    /// Addresses with a login: PLAIN, SCRAM-SHA-256 and -512, or an unsigned OAUTHBEARER token.
    pub(crate) sasl_plaintext: String,
    /// Addresses with a login over TLS.
    pub(crate) sasl_ssl: String,
    /// A user that may do everything.
    pub(crate) user: String,
    /// A user that may log in and do nothing.
    pub(crate) guest: String,
    /// The password of both.
    pub(crate) password: String,
    /// The authority that signed the certificate of the brokers, in PEM.
    pub(crate) ca: PathBuf,
    /// Addresses with TLS that ask the client for a certificate; empty in an older file.
    #[serde(default)]
    pub(crate) mtls: String,
    /// A certificate of `user`, in PEM.
    #[serde(default)]
    pub(crate) client_certificate: PathBuf,
    /// Its key, encrypted, in PEM.
    #[serde(default)]
    pub(crate) client_key: PathBuf,
    /// What the key is encrypted with.
    #[serde(default)]
    pub(crate) client_key_password: String,
}

impl State {
    /// Whether every recorded process is a broker of this cluster.
    pub(crate) fn is_alive(&self) -> bool {
        self.nodes.iter().all(|node| broker::is_running(node.pid, &node.properties))
    }

    /// One line for a person, without the password.
    pub(crate) fn summary(&self) -> String {
        let pids: Vec<String> = self.nodes.iter().map(|node| node.pid.to_string()).collect();
        format!(
            "Apache Kafka {} at {}, pid {}, nodes: {}",
            self.version,
            self.bootstrap_servers,
            pids.join(" "),
            self.nodes.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(pid: i32) -> State {
        State {
            bootstrap_servers: "127.0.0.1:5999".into(),
            secure: Secure {
                ssl: "127.0.0.1:6000".into(),
                sasl_plaintext: "127.0.0.1:6001".into(),
                sasl_ssl: "127.0.0.1:6002".into(),
                user: "dipmo".into(),
                guest: "guest".into(),
                password: "s3cret".into(),
                ca: "ca.pem".into(),
                mtls: "127.0.0.1:6003".into(),
                client_certificate: "client.pem".into(),
                client_key: "client.key".into(),
                client_key_password: "k3y".into(),
            },
            version: "4.3.1".into(),
            nodes: vec![Node { id: 1, pid, properties: "/no/such/server.properties".into() }],
            folder: "/no/such".into(),
            jars: "jars".into(),
            kept: false,
        }
    }

    #[test]
    fn a_state_file_says_what_tests_read() {
        let written = serde_json::to_value(state(77)).unwrap();
        assert_eq!(written["bootstrap_servers"], "127.0.0.1:5999");
        assert_eq!(written["secure"]["sasl_ssl"], "127.0.0.1:6002");
        assert_eq!(written["nodes"][0]["pid"], 77);
        let read: State = serde_json::from_value(written).unwrap();
        assert_eq!(read.nodes[0].properties, state(77).nodes[0].properties);
    }

    #[test]
    fn a_file_of_an_older_version_is_read() {
        let mut written = serde_json::to_value(state(77)).unwrap();
        let secure = written["secure"].as_object_mut().unwrap();
        for later in ["mtls", "client_certificate", "client_key", "client_key_password"] {
            secure.remove(later).unwrap();
        }
        let read: State = serde_json::from_value(written).unwrap();
        assert_eq!(read.secure.mtls, "");
    }

    #[test]
    fn a_stranger_with_the_same_pid_is_not_our_broker() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(!state(own).is_alive());
    }

    #[test]
    fn a_password_is_not_shown() {
        let summary = state(77).summary();
        assert!(!summary.contains("s3cret") && !summary.contains("k3y"), "{summary}");
    }
}
