//! What systemd hears, on a socket as it has one.

use std::ffi::OsString;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dipmo::service::{Health, Notify, Watchdog};
use dipmo_processing::health::Checkup;
use dipmo_store::{Store as _, Tables};
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};
use rustix::process::{Pid, Signal, kill_process};
use tokio_util::sync::CancellationToken;

/// A manager with an abstract socket.
fn manager(name: &str) -> (UnixDatagram, OsString) {
    let name = format!("dipmo-test-{name}-{}", std::process::id());
    let socket = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    (socket, format!("@{name}").into())
}

fn heard(socket: &UnixDatagram) -> String {
    let mut buffer = [0; 512];
    let length = socket.recv(&mut buffer).unwrap();
    String::from_utf8(buffer[..length].to_vec()).unwrap()
}

/// Waits for a line; answers what came before it.
fn heard_until(socket: &UnixDatagram, line: &str) -> Vec<String> {
    let mut before = Vec::new();
    loop {
        match heard(socket) {
            it if it == line => return before,
            it => before.push(it),
        }
    }
}

#[test]
fn every_word_arrives_at_a_path_and_at_an_abstract_name() {
    let folder = std::env::temp_dir().join(format!("dipmo-notify-{}", std::process::id()));
    let by_path = UnixDatagram::bind(&folder).unwrap();
    let (abstractly, name) = manager("words");
    for (socket, to) in [(&by_path, folder.clone().into_os_string()), (&abstractly, name)] {
        let notify = Notify::to(&to, None);
        notify.ready();
        notify.alive();
        notify.stopping();
        notify.status("two\nlines");
        let words = [heard(socket), heard(socket), heard(socket), heard(socket)];
        assert_eq!(words, ["READY=1", "WATCHDOG=1", "STOPPING=1", "STATUS=two lines"]);
    }
    std::fs::remove_file(folder).unwrap();
}

#[test]
fn nobody_who_listens_is_no_trouble() {
    Notify::default().ready();
    Notify::to("/nowhere/at/all".as_ref(), None).ready();
    Notify::to("@dipmo-nobody".as_ref(), None).ready();
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_ready_once_it_is_and_alive_as_long_as_it_is() {
    let (socket, name) = manager("life");
    let mut health = Health::default();
    health.limits.gone = Duration::ZERO;
    let notify = Notify::to(&name, Some(Duration::from_millis(30)));
    let (stop, pulse) = (CancellationToken::new(), Arc::clone(&health.pulse));
    let part = pulse.part("source");
    let alive = part.task();
    let telling = tokio::spawn(Watchdog::new(notify, health).run(stop.clone()));

    let hears = |socket: UnixDatagram, line: &'static str| async move {
        tokio::task::spawn_blocking(move || (heard_until(&socket, line), socket)).await.unwrap()
    };
    let (before, socket) = hears(socket, "STATUS=starting (store)").await;
    assert!(!before.contains(&"READY=1".to_owned()), "{before:?}");
    let store = SqliteStore::open(SqliteOptions::new("sqlite::memory:")).await.unwrap();
    store.migrate(&Tables::default()).await.unwrap();
    Checkup::new(Arc::new(store), Arc::clone(&pulse)).look().await;
    let (before, socket) = hears(socket, "READY=1").await;
    assert!(before.contains(&"WATCHDOG=1".to_owned()), "alive before it was ready: {before:?}");
    let (_, socket) = hears(socket, "WATCHDOG=1").await;

    drop(alive);
    let (_, socket) = hears(socket, "STATUS=no-task (source)").await;
    socket.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let silence = socket.recv(&mut [0; 512]).unwrap_err();
    assert_eq!(silence.kind(), std::io::ErrorKind::WouldBlock, "a dead one gives no sign of life");
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let _alive = part.task();
    stop.cancel();
    let (before, socket) = hears(socket, "STOPPING=1").await;
    assert!(!before.contains(&"READY=1".to_owned()), "ready is said once: {before:?}");
    let (_, _socket) = hears(socket, "WATCHDOG=1").await;
    telling.abort();
}

/// Waits for a line, whatever else is said meanwhile.
fn hears(socket: &UnixDatagram, line: &str) {
    let began = Instant::now();
    while heard(socket) != line {
        assert!(began.elapsed() < Duration::from_secs(60), "{line} is never said");
    }
}

#[test]
fn the_program_tells_its_manager_that_it_is_ready_lives_and_stops() {
    let (socket, name) = manager("program");
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("dipmo.yaml");
    std::fs::write(&config, "dipmo: 1\nstore: {sqlite: dipmo.db}\n").unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_dipmo"));
    program.current_dir(&folder).args(["run", "--health", "off", "--config"]).arg(&config);
    program.env("NOTIFY_SOCKET", name).env("WATCHDOG_USEC", "300000");
    let mut program = program.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    for line in ["READY=1", "WATCHDOG=1", "WATCHDOG=1"] {
        hears(&socket, line);
    }
    kill_process(Pid::from_child(&program), Signal::TERM).unwrap();
    hears(&socket, "STOPPING=1");
    assert_eq!(program.wait().unwrap().code(), Some(0));
}
