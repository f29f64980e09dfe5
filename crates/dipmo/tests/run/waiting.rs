//! A database that is on its way is waited for.

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dipmo::wiring::OnSchema;

use crate::postgres::Database;
use crate::probing::pipeline;
use crate::service::PATIENCE;

/// How many are sent away before somebody is let through.
const AWAY: usize = 3;

/// Stands before a database that comes up late. Answers its port, and how many have knocked.
fn door(database: String) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, knocked) = (listener.local_addr().unwrap().port(), Arc::<AtomicUsize>::default());
    let count = Arc::clone(&knocked);
    std::thread::spawn(move || {
        for guest in listener.incoming().map_while(Result::ok) {
            if count.fetch_add(1, Ordering::SeqCst) >= AWAY {
                let host = TcpStream::connect(&database).unwrap();
                pass_on(guest.try_clone().unwrap(), host.try_clone().unwrap());
                pass_on(host, guest);
            }
        }
    });
    (port, knocked)
}

fn pass_on(mut from: TcpStream, mut to: TcpStream) {
    // Both ends hang up sooner or later.
    std::thread::spawn(move || std::io::copy(&mut from, &mut to));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_comes_up_late_is_waited_for() {
    let database = Database::create().await;
    let url = database.url();
    let (who, rest) = url.split_once('@').unwrap();
    let (host, name) = rest.split_once('/').unwrap();
    let (port, knocked) = door(host.to_owned());
    let url = format!("{who}@127.0.0.1:{port}/{name}");
    let text = format!("dipmo: 1\nstore: {{postgres: '${{env:WAITING_NOWHERE:-{url}}}'}}\n");
    let pipeline = pipeline(&text);

    let refused = pipeline.open(OnSchema::Apply, Duration::ZERO).await.err().unwrap();
    assert_eq!(refused.code.as_str(), "store-unreachable");
    assert_eq!(knocked.load(Ordering::SeqCst), 1, "who has no time tries once");
    pipeline.open(OnSchema::Apply, PATIENCE).await.unwrap();
    assert!(knocked.load(Ordering::SeqCst) > AWAY);
}
