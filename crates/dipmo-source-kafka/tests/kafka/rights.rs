//! Gives a user of the broker a right. The client has no call for that, so it is said in the
//! protocol's own words.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use dipmo_kafka::testing;

/// What a right is about.
#[derive(Clone, Copy)]
pub(crate) enum Resource<'a> {
    Topic(&'a str),
    Group(&'a str),
}

/// What may be done.
#[derive(Clone, Copy)]
pub(crate) enum Operation {
    Read = 3,
    Describe = 8,
}

/// Allows it, and waits for the broker's word.
pub(crate) fn allow(user: &str, operation: Operation, resource: Resource<'_>) {
    let (kind, name) = match resource {
        Resource::Topic(name) => (2, name),
        Resource::Group(name) => (3, name),
    };
    // CreateAcls, version 1, an id of ours, no client id; one right.
    let mut request = [&30_i16.to_be_bytes()[..], &1_i16.to_be_bytes()].concat();
    request.extend(7_i32.to_be_bytes());
    request.extend((-1_i16).to_be_bytes());
    request.extend(1_i32.to_be_bytes());
    request.push(kind);
    text(&mut request, name);
    request.push(3); // the name as it is, and not a prefix
    text(&mut request, &format!("User:{user}"));
    text(&mut request, "*");
    request.push(operation as u8);
    request.push(3); // allow
    let answer = ask(&request);
    // The id, the throttle time, how many answers, and the error of the first.
    assert_eq!(answer[12..14], [0, 0], "{}", String::from_utf8_lossy(&answer));
}

fn text(request: &mut Vec<u8>, text: &str) {
    request.extend(i16::try_from(text.len()).unwrap().to_be_bytes());
    request.extend(text.as_bytes());
}

fn ask(request: &[u8]) -> Vec<u8> {
    let brokers = testing::brokers();
    let mut broker = TcpStream::connect(brokers.split(',').next().unwrap()).unwrap();
    broker.write_all(&u32::try_from(request.len()).unwrap().to_be_bytes()).unwrap();
    broker.write_all(request).unwrap();
    let mut length = [0; 4];
    broker.read_exact(&mut length).unwrap();
    let mut answer = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap()];
    broker.read_exact(&mut answer).unwrap();
    answer
}
