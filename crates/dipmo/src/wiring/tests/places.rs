//! What an adapter says about its options stands where the option does.

use dipmo_config::{Colour, Severity};

use super::{Pipeline, loaded};

const BASE: &str = "
dipmo: 1
store: {sqlite: ./x.db}
kafka: {default: {brokers: 'h:1'}}
";

/// The code of the first error, and what stands at its place.
fn first(text: &str) -> (String, String) {
    let loaded = loaded(&format!("{BASE}{text}"));
    let Err(problems) = Pipeline::assemble(&loaded) else { panic!("nothing is wrong with {text}") };
    let said = problems.render(&loaded.files, Colour::Never);
    assert!(!said.contains("hush"), "{said}");
    let problem = problems.iter().find(|it| it.severity == Severity::Error).unwrap();
    let place = problem.place.unwrap();
    (problem.code.to_string(), loaded.files.slice(place).to_owned())
}

fn assert_first(text: &str, code: &str, at: &str) {
    assert_eq!(first(text), (code.to_owned(), at.to_owned()), "{text}");
}

#[test]
fn of_kafka() {
    let cluster = |text: &str| format!("kafka: {{default: {{brokers: 'h:1', {text}}}}}");
    let of = |text: &str| BASE.replace("kafka: {default: {brokers: 'h:1'}}", &cluster(text));
    let check = |text: &str, code: &str, at: &str| {
        let loaded = loaded(&of(text));
        let Err(problems) = Pipeline::assemble(&loaded) else { panic!("nothing is wrong") };
        let problem = problems.iter().next().unwrap();
        let found = loaded.files.slice(problem.place.unwrap());
        assert_eq!((problem.code.as_str(), found), (code, at), "{text}");
        assert!(!problems.render(&loaded.files, Colour::Never).contains("hush"));
    };
    check("properties: {linger.mss: 5}", "kafka-property-invalid", "linger.mss");
    check(
        "properties: {socket.timeout.ms: '${env:X}'}",
        "kafka-property-invalid",
        "socket.timeout.ms",
    );
    check("security: {user: me}", "config-value-invalid", "me");
    check("security: {protocol: sasl_ssl, user: me}", "config-missing-key", "security");
    check("security: {ca_file: a.pem}", "config-value-invalid", "a.pem");
}

#[test]
fn of_a_source_over_http() {
    let of = |text: &str, path: &str| {
        let listen = if text.contains("listen") { "" } else { "listen: '127.0.0.1:1', " };
        let auth = if text.contains("auth") { "" } else { "auth: none, " };
        format!("sources: {{s: {{http: {{{listen}{auth}{text}paths: {{{path}}}}}}}}}")
    };
    let check =
        |text: &str, path: &str, code: &str, at: &str| assert_first(&of(text, path), code, at);
    check("listen: 'localhost', ", "/p: {}", "config-value-invalid", "'localhost'");
    check("auth: {tokens: {a: '${env:X}'}}, ", "/p: {}", "http-token-invalid", "'${env:X}'");
    let mtls = "auth: {mtls: {authority: '${env:EXTRA_ROOT}'}}, ";
    check(mtls, "/p: {}", "http-tls-invalid", "http");
    check("tls: {certificate: x, key: '${env:X}'}, ", "/p: {}", "http-tls-invalid", "tls");
    check("limits: {grace: 7s}, ", "/p: {}", "config-value-invalid", "7s");
    check("", "/p: {schema: none.json}", "config-file-unreadable", "none.json");
    check("", "/p: {schema: Cargo.toml}", "http-schema-invalid", "Cargo.toml");
    check("", "/p: {headers: [a, Cookie]}", "http-header-refused", "Cookie");
    check("", "/p: {headers: [Message-Id]}", "http-header-refused", "Message-Id");
    check("", "/p: {body_limit: 99000000}", "http-options-invalid", "99000000");
    check("limits: {memory: 1000}, ", "/p: {}", "http-options-invalid", "1000");
    check("", "/p/requests: {}", "http-path-invalid", "/p/requests");
    check("", "/p/requests/x: {}", "http-path-invalid", "/p/requests/x");
    check("", "/p: {event_version: {const: x}}", "extraction-rule-invalid", "{const: x}");
    check("", "/p: {to: 'KAFKA:t'}", "config-missing-key", "'KAFKA:t'");
}

#[test]
fn of_a_leg() {
    let of = |rest: &str| {
        format!(
            "legs: {{l: {{exactly_once: kafka, group: g, topics: t, cases: {{drop: true}}{rest}}}}}"
        )
    };
    let owned = ", properties: {transactional.id: mine}";
    assert_first(&of(owned), "kafka-property-owned", "transactional.id");
    assert_first(&of(", grace: 7s"), "config-value-invalid", "7s");
    assert_first(&of(", transaction_timeout: 300ms"), "kafka-leg-invalid", "l");
    assert_first(&of(", kafka: other"), "config-unknown-name", "other");
}

#[test]
fn a_file_with_nothing_but_legs_needs_no_store() {
    let leg = "legs: {l: {exactly_once: kafka, group: g, topics: t, cases: {drop: true}}}\n";
    let alone = format!("dipmo: 1\nkafka: {{default: {{brokers: 'h:1'}}}}\n{leg}");
    assert!(!super::assembled(&alone).has_store());
    let loaded = loaded(&format!("{alone}sources: {{s: {{group: g, topics: {{u: {{}}}}}}}}\n"));
    let Err(problems) = Pipeline::assemble(&loaded) else { panic!("nothing is wrong") };
    assert!(problems.render(&loaded.files, Colour::Never).contains("there is no `store`"));
}

#[test]
fn of_a_source() {
    let of = |topic: &str, rest: &str| {
        format!("sources: {{s: {{group: g, topics: {{{topic}}}{rest}}}}}")
    };
    assert_first(&of("t: {message_id: {const: x}}", ""), "extraction-rule-invalid", "{const: x}");
    assert_first(
        &of("t: {event_type: {pointer: x}}", ""),
        "extraction-rule-invalid",
        "{pointer: x}",
    );
    assert_first(&of("'^t.+': {event_type: key}", ""), "config-value-invalid", "'^t.+'");
    assert_first(&of("t: {}", ", properties: {group.id: x}"), "kafka-property-owned", "group.id");
    assert_first(&of("t: {mirror_suffix: -dlt}", ""), "config-missing-key", "-dlt");
    assert_first(&of("t: {}", ", grace: 6001ms"), "config-value-invalid", "6001ms");
}

#[test]
fn of_the_engine_and_of_retention() {
    assert_first("destinations: {kafka: {deadline: 11s}}", "config-value-invalid", "11s");
    assert_first("engine: {workers: {min: 9}}", "config-value-invalid", "9");
    assert_first("engine: {dispatch: {deadline: 11s}}", "config-value-invalid", "11s");
    assert_first("retention: {history: 90d, message_ids: 30d}", "config-value-invalid", "30d");
}

#[test]
fn of_what_is_promised() {
    assert_first("slo: {window: 59m, delivered: 0.9}", "config-value-invalid", "59m");
    assert_first("slo: {window: 91d, delivered: 0.9}", "config-value-invalid", "91d");
    assert_first("slo: {delivered: 0}", "config-value-invalid", "0");
    assert_first("slo: {processed: 0.0000001}", "config-value-invalid", "0.0000001");
    assert_first("slo: {latency: {within: 0s, share: 0.9}}", "config-value-invalid", "0s");
    assert_first("slo: {latency: {within: 25h, share: 0.9}}", "config-value-invalid", "25h");
    assert_first("slo: {window: 30d}", "config-missing-key", "slo");
}

#[test]
fn of_the_admin() {
    assert_first("admin: {listen: here}", "config-value-invalid", "here");
    assert_first("admin: {listen: '0.0.0.0:1'}", "config-value-invalid", "'0.0.0.0:1'");
    let shows = "admin: {listen: '127.0.0.1:1', show: {payload: [/a, b]}}";
    assert_first(shows, "admin-mask-invalid", "b");
    let oidc = |issuer: &str, roles: &str| {
        format!(
            "admin: {{listen: '127.0.0.1:1', oidc: {{issuer: '{issuer}', audience: a, \
             roles: {{claim: c{roles}}}}}}}"
        )
    };
    for issuer in ["http://login.example.com", "ftp://a.b", "https://me:pw@a.b", "a.b", ""] {
        let at = format!("'{issuer}'");
        assert_first(&oidc(issuer, ", viewer: v"), "config-value-invalid", &at);
    }
    assert_first(&oidc("https://a.b", ""), "config-missing-key", "roles");
    let tls = "{certificate: no, key: '${env:TLS_KEY}'}";
    let with_tls = format!("admin: {{listen: '127.0.0.1:1', tls: {tls}}}");
    assert_first(&with_tls, "http-tls-invalid", "tls");
    super::assembled(
        "dipmo: 1\nstore: {sqlite: ./x.db}\nadmin: {listen: '0.0.0.0:1', plain_text: true}\n",
    );
}

#[test]
fn of_salesforce() {
    let org = |rest: &str| {
        let secret = "secret: '${env:SECRET}'";
        format!(
            "destinations: {{salesforce: {{default: {{url: 'https://a.b', \
             login: {{client_credentials: {{id: x, {secret}}}}}{rest}}}}}}}"
        )
    };
    let object =
        |fields: &str| org(&format!(", objects: {{A__c: {{external_id: K__c, {fields}}}}}"));
    assert_first(&org(", api_version: 'x'"), "salesforce-options-invalid", "'https://a.b'");
    assert_first(
        &org(", resilience: {quota: {reserve: 1}}"),
        "salesforce-resilience-invalid",
        "resilience",
    );
    assert_first(&object("fields: {'No Name': /x}"), "salesforce-mapping-invalid", "'No Name'");
    assert_first(&object("fields: {B__c: {constant: =x}}"), "config-value-invalid", "=x");
    assert_first(&object("fields: {B__c: COLUMN}"), "config-value-invalid", "COLUMN");
}

#[test]
fn a_store_is_needed() {
    let loaded = loaded("dipmo: 1\n");
    let Err(problems) = Pipeline::assemble(&loaded) else { panic!("nothing is wrong") };
    assert!(problems.render(&loaded.files, Colour::Never).contains("there is no `store`"));
}

#[test]
fn more_workers_than_connections_are_a_warning() {
    let text = "dipmo: 1\nstore: {postgres: 'postgres://h/db', pool: 4}\n";
    let pipeline = super::assembled(text);
    let warnings = pipeline.warnings().render(pipeline.files(), Colour::Never);
    assert!(warnings.contains("4 workers leave no room"), "{warnings}");
}

#[test]
fn an_option_of_the_other_database_is_a_warning() {
    let text = "dipmo: 1\nstore: {sqlite: ./x.db, pool: 3}\n";
    let pipeline = super::assembled(text);
    let warnings = pipeline.warnings().render(pipeline.files(), Colour::Never);
    assert!(warnings.contains("`pool` is for PostgreSQL"), "{warnings}");
}
