//! A door before a database, which can be shut: connections stay open and nobody answers.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::service::PATIENCE;

/// A door that stands open until it is shut, for good.
pub(crate) struct Door {
    /// The URL of the database behind it.
    pub(crate) url: String,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    shut: AtomicBool,
    /// How many wait before it with something to say.
    waiting: AtomicUsize,
}

impl Door {
    pub(crate) fn to(url: &str) -> Self {
        let (who, rest) = url.split_once('@').unwrap();
        let (host, name) = rest.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (host, state) = (host.to_owned(), Arc::<State>::default());
        let url = format!("{who}@127.0.0.1:{port}/{name}");
        let door = Self { url, state: Arc::clone(&state) };
        std::thread::spawn(move || {
            for guest in listener.incoming().map_while(Result::ok) {
                let host = TcpStream::connect(&host).unwrap();
                state.pass_on(guest.try_clone().unwrap(), host.try_clone().unwrap());
                state.pass_on(host, guest);
            }
        });
        door
    }

    pub(crate) fn shut(&self) {
        self.state.shut.store(true, Ordering::SeqCst);
    }

    /// Waits until so many have said something to the shut door.
    pub(crate) async fn until_somebody_waits(&self, so_many: usize) {
        let began = Instant::now();
        while self.state.waiting.load(Ordering::SeqCst) < so_many {
            assert!(began.elapsed() < PATIENCE, "nobody wants anything of the database");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl State {
    /// Passes on what one end says, until an end hangs up or the door is shut.
    fn pass_on(self: &Arc<Self>, mut from: TcpStream, mut to: TcpStream) {
        let state = Arc::clone(self);
        std::thread::spawn(move || {
            let mut some = [0; 16 * 1024];
            while let Ok(read @ 1..) = from.read(&mut some) {
                if state.shut.load(Ordering::SeqCst) {
                    state.waiting.fetch_add(1, Ordering::SeqCst);
                    // Both streams stay open for as long as the test lasts.
                    loop {
                        std::thread::park();
                    }
                }
                if to.write_all(&some[..read]).is_err() {
                    return;
                }
            }
        });
    }
}
