//! A member that stands still in the middle of a transaction, and wakes when its partitions are
//! somebody else's.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::child::{self, Orders};
use crate::rig::{PATIENCE, Rig};

#[tokio::test(flavor = "multi_thread")]
async fn who_wakes_after_its_partitions_moved_can_commit_nothing() {
    let rig = Rig::new(1).await;
    rig.send_numbers(0..100);
    let file = child::telling();
    // The broker would abort it much later: it is the group that keeps it out.
    let timeout = Duration::from_secs(120);
    let orders = Orders { freezes_at: Some(50), tells: Some(&file), timeout, instance: None };
    let mut zombie = child::start(&rig, &orders);
    until("it stands still", || state(zombie.id()) == Some('T')).await;
    let running = rig.start(rig.options());
    // It may have committed some before it stood still.
    running.until("another takes over", |it| it.lag.len() == 1 && it.total_lag() == 0).await;
    let awake = Command::new("kill").args(["-CONT", &zombie.id().to_string()]).status().unwrap();
    assert!(awake.success());
    until("it knows that it came too late", || file.exists()).await;
    drop(zombie.stdin.take());
    assert!(zombie.wait().unwrap().success());
    std::fs::remove_file(&file).unwrap();
    running.stop().await;
    assert_eq!(rig.numbers(), (0..100).collect::<Vec<_>>());
}

/// The state of a process, as the kernel has it.
fn state(process: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

async fn until(what: &str, is: impl Fn() -> bool) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
