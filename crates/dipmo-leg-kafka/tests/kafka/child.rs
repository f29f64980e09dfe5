//! A member in a process of its own, which can be killed and stopped: the test runs itself again.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use dipmo_inbox::Record;
use dipmo_kafka::testing;
use dipmo_leg_kafka::Applied;

use crate::rig::{Rig, Running, copy};

const FROM: &str = "DIPMO_LEG_FROM";
const TO: &str = "DIPMO_LEG_TO";
const GROUP: &str = "DIPMO_LEG_GROUP";
const INSTANCE: &str = "DIPMO_LEG_INSTANCE";
const FREEZES_AT: &str = "DIPMO_LEG_FREEZES_AT";
const TELLS: &str = "DIPMO_LEG_TELLS";
const TIMEOUT: &str = "DIPMO_LEG_TIMEOUT";

/// What a child is told.
#[derive(Default)]
pub(crate) struct Orders<'a> {
    pub(crate) instance: Option<&'a str>,
    /// Stops itself, as SIGSTOP does, when it meets this number.
    pub(crate) freezes_at: Option<u32>,
    /// Writes this file when it was fenced.
    pub(crate) tells: Option<&'a Path>,
    /// How long the broker waits for its transaction.
    pub(crate) timeout: Duration,
}

/// Starts a member; `None` in the child, once it has ended.
pub(crate) fn start(rig: &Rig, orders: &Orders<'_>) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child::member"]);
    command.env(FROM, &rig.from).env(TO, &rig.to).env(GROUP, &rig.group);
    command.env(TIMEOUT, orders.timeout.as_millis().to_string());
    if let Some(instance) = orders.instance {
        command.env(INSTANCE, instance);
    }
    if let Some(number) = orders.freezes_at {
        command.env(FREEZES_AT, number.to_string());
    }
    if let Some(file) = orders.tells {
        command.env(TELLS, file);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
}

/// A file that is there when a child told something.
pub(crate) fn telling() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::SeqCst);
    std::env::temp_dir().join(format!("dipmo-leg-{}-{number}", std::process::id()))
}

/// The child: works until its input ends. In a run of all tests it has nothing to do.
#[tokio::test(flavor = "multi_thread")]
async fn member() {
    let told = |name: &str| std::env::var(name).ok();
    let Some(from) = told(FROM) else { return };
    let (to, group) = (told(TO).unwrap(), told(GROUP).unwrap());
    let rig = Rig::of(&testing::options(), from, to.clone(), group);
    let mut options = rig.options();
    options.kafka = options.kafka.with("session.timeout.ms", "6000");
    options.batch.records = 200;
    options.instance_id = told(INSTANCE);
    options.transaction_timeout = Duration::from_millis(told(TIMEOUT).unwrap().parse().unwrap());
    let freezes_at = told(FREEZES_AT);
    let transform = move |record: &Record| {
        if freezes_at.as_deref().map(str::as_bytes) == record.value.as_deref() {
            let me = std::process::id().to_string();
            Command::new("kill").args(["-STOP", &me]).status().unwrap();
        }
        Applied::Send(vec![copy(record, &to)])
    };
    let running = Running::new(options, Arc::new(transform));
    let ends =
        tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
    let fenced = async {
        if let Some(file) = told(TELLS) {
            running.until("fenced", |figures| figures.fenced > 0).await;
            std::fs::write(file, format!("{:?}", running.figures())).unwrap();
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        _ = ends => {}
        () = fenced => {}
    }
    running.stop().await;
}
