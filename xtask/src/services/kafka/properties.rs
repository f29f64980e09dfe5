//! The properties of each node, as text.

use std::path::PathBuf;

use super::certificates::{Certificates, STORE_PASSWORD};

/// May do everything when it logs in.
pub(crate) const USER: &str = "dipmo";
/// May log in and do nothing.
pub(crate) const GUEST: &str = "guest";

/// A cluster before it is started; node 1 has the first ports.
pub(crate) struct Plan {
    pub(crate) folder: PathBuf,
    pub(crate) nodes: Vec<Ports>,
    pub(crate) password: String,
    pub(crate) certificates: Certificates,
}

/// The ports of one node on 127.0.0.1, by listener.
#[derive(Clone, Copy)]
pub(crate) struct Ports {
    pub(crate) plaintext: u16,
    pub(crate) controller: u16,
    pub(crate) ssl: u16,
    pub(crate) sasl_plaintext: u16,
    pub(crate) sasl_ssl: u16,
    pub(crate) mtls: u16,
}

impl Plan {
    /// The ids of the nodes, from 1.
    pub(crate) fn ids(&self) -> std::ops::RangeInclusive<usize> {
        1..=self.nodes.len()
    }

    /// The folder of a node.
    pub(crate) fn home(&self, id: usize) -> PathBuf {
        self.folder.join(format!("node-{id}"))
    }

    /// The addresses of one listener on all nodes, as clients take them.
    pub(crate) fn servers(&self, port: fn(&Ports) -> u16) -> String {
        let servers: Vec<String> =
            self.nodes.iter().map(|ports| format!("127.0.0.1:{}", port(ports))).collect();
        servers.join(",")
    }

    /// The properties of one node.
    pub(crate) fn properties(&self, id: usize) -> String {
        let copies = self.nodes.len();
        let in_sync = copies.div_ceil(2);
        let mut lines = vec![
            "process.roles=broker,controller".to_owned(),
            format!("node.id={id}"),
            format!("log.dirs={}", self.home(id).join("data").display()),
            format!("controller.quorum.voters={}", self.voters()),
            "controller.listener.names=CONTROLLER".to_owned(),
            "inter.broker.listener.name=PLAINTEXT".to_owned(),
            format!("default.replication.factor={copies}"),
            format!("min.insync.replicas={in_sync}"),
            format!("offsets.topic.replication.factor={copies}"),
            format!("transaction.state.log.replication.factor={copies}"),
            format!("transaction.state.log.min.isr={in_sync}"),
            format!("share.coordinator.state.topic.replication.factor={copies}"),
            format!("share.coordinator.state.topic.min.isr={in_sync}"),
            // Fifty each is the default, and the first group of a test waits until all are made.
            "offsets.topic.num.partitions=5".to_owned(),
            "transaction.state.log.num.partitions=5".to_owned(),
            "share.coordinator.state.topic.num.partitions=5".to_owned(),
            // A group of one test waits for nobody.
            "group.initial.rebalance.delay.ms=0".to_owned(),
            // A topic that nobody made is an error to be seen.
            "auto.create.topics.enable=false".to_owned(),
        ];
        lines.extend(listeners(&self.nodes[id - 1]));
        lines.extend(logins(&self.password));
        lines.extend(tls(&self.certificates));
        lines.join("\n") + "\n"
    }

    fn voters(&self) -> String {
        let voters: Vec<String> = (1..)
            .zip(&self.nodes)
            .map(|(id, ports): (usize, _)| format!("{id}@127.0.0.1:{}", ports.controller))
            .collect();
        voters.join(",")
    }
}

/// The listener that asks clients for their certificate, as its properties call it.
const MTLS: &str = "listener.name.mtls";

fn listeners(ports: &Ports) -> [String; 2] {
    let listeners = [
        ("PLAINTEXT", "PLAINTEXT", ports.plaintext),
        ("CONTROLLER", "PLAINTEXT", ports.controller),
        ("SSL", "SSL", ports.ssl),
        ("SASL_PLAINTEXT", "SASL_PLAINTEXT", ports.sasl_plaintext),
        ("SASL_SSL", "SASL_SSL", ports.sasl_ssl),
        ("MTLS", "SSL", ports.mtls),
    ];
    let addresses = listeners.map(|(name, _, port)| format!("{name}://127.0.0.1:{port}"));
    let protocols = listeners.map(|(name, protocol, _)| format!("{name}:{protocol}"));
    [
        format!("listeners={}", addresses.join(",")),
        format!("listener.security.protocol.map={}", protocols.join(",")),
    ]
}

/// Who may log in, and what they may do: whoever does not log in is trusted as [`USER`] is.
fn logins(password: &str) -> Vec<String> {
    const MODULES: &str = "org.apache.kafka.common.security";
    let mut lines = vec![
        "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer".to_owned(),
        format!("super.users=User:ANONYMOUS;User:{USER}"),
        "sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER".to_owned(),
    ];
    let users = format!("user_{USER}=\"{password}\" user_{GUEST}=\"{password}\"");
    for listener in ["sasl_plaintext", "sasl_ssl"] {
        let modules = [
            ("plain", format!("plain.PlainLoginModule required {users}")),
            ("scram-sha-256", "scram.ScramLoginModule required".to_owned()),
            ("scram-sha-512", "scram.ScramLoginModule required".to_owned()),
            ("oauthbearer", "oauthbearer.OAuthBearerLoginModule required".to_owned()),
        ];
        lines.extend(modules.iter().map(|(mechanism, module)| {
            format!("listener.name.{listener}.{mechanism}.sasl.jaas.config={MODULES}.{module};")
        }));
    }
    lines
}

fn tls(certificates: &Certificates) -> [String; 7] {
    [
        "ssl.keystore.type=PKCS12".to_owned(),
        format!("ssl.keystore.location={}", certificates.store.display()),
        format!("ssl.keystore.password={STORE_PASSWORD}"),
        format!("{MTLS}.ssl.client.auth=required"),
        format!("{MTLS}.ssl.truststore.type=PEM"),
        format!("{MTLS}.ssl.truststore.location={}", certificates.authority.display()),
        // The name in a certificate is the name of the user.
        format!("{MTLS}.ssl.principal.mapping.rules=RULE:^CN=([a-z]+)$/$1/,DEFAULT"),
    ]
}

/// A logger that writes to standard output; without one a broker says nothing at all.
pub(crate) const LOGGING: &str = "\
rootLogger.level=info
rootLogger.appenderRef.out.ref=out
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%d %p %m (%c)%n
";

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(nodes: u16) -> Plan {
        let ports = |base| Ports {
            plaintext: base,
            controller: base + 1,
            ssl: base + 2,
            sasl_plaintext: base + 3,
            sasl_ssl: base + 4,
            mtls: base + 5,
        };
        Plan {
            folder: "services/kafka".into(),
            nodes: (1..=nodes).map(|id| ports(id * 1000)).collect(),
            password: "s3cret".into(),
            certificates: Certificates {
                store: "broker.p12".into(),
                authority: "ca.pem".into(),
                client: "client.pem".into(),
                client_key: "client.key".into(),
            },
        }
    }

    fn has(properties: &str, line: &str) {
        assert!(properties.lines().any(|found| found == line), "no {line} in:\n{properties}");
    }

    #[test]
    fn one_node_needs_no_other() {
        let properties = plan(1).properties(1);
        has(&properties, "controller.quorum.voters=1@127.0.0.1:1001");
        has(&properties, "offsets.topic.replication.factor=1");
        has(&properties, "transaction.state.log.min.isr=1");
        has(&properties, "min.insync.replicas=1");
        has(&properties, "auto.create.topics.enable=false");
    }

    #[test]
    fn three_nodes_can_lose_one() {
        let plan = plan(3);
        let properties = plan.properties(2);
        has(&properties, "node.id=2");
        has(&properties, "log.dirs=services/kafka/node-2/data");
        has(
            &properties,
            "controller.quorum.voters=1@127.0.0.1:1001,2@127.0.0.1:2001,3@127.0.0.1:3001",
        );
        has(&properties, "offsets.topic.replication.factor=3");
        has(&properties, "share.coordinator.state.topic.min.isr=2");
        has(&properties, "min.insync.replicas=2");
        assert!(properties.contains("listeners=PLAINTEXT://127.0.0.1:2000,CONTROLLER://"));
    }

    #[test]
    fn one_listener_asks_for_certificates_and_the_others_do_not() {
        let properties = plan(1).properties(1);
        has(&properties, "listener.name.mtls.ssl.client.auth=required");
        has(&properties, "listener.name.mtls.ssl.truststore.location=ca.pem");
        assert_eq!(properties.matches("client.auth").count(), 1);
    }

    #[test]
    fn clients_are_given_every_node() {
        let servers = plan(3).servers(|ports| ports.sasl_ssl);
        assert_eq!(servers, "127.0.0.1:1004,127.0.0.1:2004,127.0.0.1:3004");
    }
}
