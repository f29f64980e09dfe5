//! The Kafka that tests are given: it answers, and it lets in whom it should.
//!
//! Written on bare sockets, so that a broken client cannot hide a broken service.

#![expect(clippy::unwrap_used, reason = "an unwrap in a test is an assertion")]

#[path = "support/kafka.rs"]
mod kafka;
mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const SASL_HANDSHAKE: i16 = 17;
const API_VERSIONS: i16 = 18;
const SASL_AUTHENTICATE: i16 = 36;
const CORRELATION: i32 = 77;

/// What the broker says of a login that it does not take.
const FAILED: i16 = 58;

#[test]
fn every_broker_answers() {
    for server in kafka::bootstrap_servers().split(',') {
        let answer = call(&mut connect(server), API_VERSIONS, 0, &[]);
        assert_eq!(error_code(&answer), 0, "{server}");
    }
}

#[test]
fn both_users_log_in_with_their_password_only() {
    let server = kafka::secure("sasl_plaintext");
    let password = kafka::secure("password");
    for user in [kafka::secure("user"), kafka::secure("guest")] {
        assert_eq!(log_in(&server, &user, &password), 0);
        assert_eq!(log_in(&server, &user, "wrong"), FAILED);
    }
}

#[test]
fn the_mechanisms_are_there_also_with_tls() {
    let mut plain = connect(&kafka::secure("sasl_plaintext"));
    let answer = call(&mut plain, SASL_HANDSHAKE, 1, &string("none of them"));
    let offered = String::from_utf8_lossy(&answer);
    for mechanism in ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"] {
        assert!(offered.contains(mechanism), "{mechanism} is not in {offered:?}");
    }
    for listener in ["ssl", "sasl_ssl", "mtls"] {
        drop(connect(&kafka::secure(listener)));
    }
    let authority = std::fs::read_to_string(kafka::secure("ca")).unwrap();
    assert!(authority.starts_with("-----BEGIN CERTIFICATE-----"), "{authority}");
}

/// The error code of a login by PLAIN; zero means welcome.
fn log_in(server: &str, user: &str, password: &str) -> i16 {
    let mut stream = connect(server);
    assert_eq!(error_code(&call(&mut stream, SASL_HANDSHAKE, 1, &string("PLAIN"))), 0);
    let token = format!("\0{user}\0{password}");
    let mut body = i32::try_from(token.len()).unwrap().to_be_bytes().to_vec();
    body.extend(token.as_bytes());
    error_code(&call(&mut stream, SASL_AUTHENTICATE, 0, &body))
}

fn connect(servers: &str) -> TcpStream {
    let stream = TcpStream::connect(servers.split(',').next().unwrap()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

/// Sends one request and returns the body of its answer.
fn call(stream: &mut TcpStream, api: i16, version: i16, body: &[u8]) -> Vec<u8> {
    let mut request = [api.to_be_bytes(), version.to_be_bytes()].concat();
    request.extend(CORRELATION.to_be_bytes());
    request.extend(string("dipmo"));
    request.extend(body);
    let length = i32::try_from(request.len()).unwrap();
    stream.write_all(&[&length.to_be_bytes(), request.as_slice()].concat()).unwrap();
    let mut length = [0; 4];
    stream.read_exact(&mut length).unwrap();
    let mut answer = vec![0; usize::try_from(i32::from_be_bytes(length)).unwrap()];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer[..4], CORRELATION.to_be_bytes());
    answer.split_off(4)
}

fn error_code(answer: &[u8]) -> i16 {
    i16::from_be_bytes([answer[0], answer[1]])
}

fn string(text: &str) -> Vec<u8> {
    let mut bytes = i16::try_from(text.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes
}
