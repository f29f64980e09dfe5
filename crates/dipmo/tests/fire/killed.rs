//! Instances that are killed while they work.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::parts::child::{Child, journal};
use crate::parts::folder::Folder;
use crate::parts::load::Load;
use crate::parts::place::Place;
use crate::parts::worker::worked_as_child;
use crate::parts::{books, deliveries};

const TEST: &str = "killed::trap_14_17_three_instances_of_which_one_is_killed_every_second";

/// How many are killed, one a second.
fn kills() -> usize {
    if std::env::var("DIPMO_TEST_FULL").as_deref() == Ok("1") { 60 } else { 10 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trap_14_17_three_instances_of_which_one_is_killed_every_second() {
    if worked_as_child().await {
        return;
    }
    let (place, folder) = (Place::postgres().await, Folder::new());
    let start = || Child::start(TEST, &place, &folder);
    let mut children = [start(), start(), start()];
    for child in &mut children {
        child.says("ready").await;
    }
    let stop = CancellationToken::new();
    let killing = async {
        for kill in 0..kills() {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let victim = &mut children[kill % 3];
            victim.kill();
            *victim = start();
        }
        stop.cancel();
    };
    let (store, look) = (place.store().await, place.look().await);
    let storing = Load::new(100).keep_storing(&*store, &look, &stop);
    let (sent, ()) = tokio::join!(storing, killing);
    books::until_drained(&place).await;
    for child in children {
        child.stop().await;
    }
    books::check(&place, &sent).await;
    deliveries::check_both(&deliveries::read(&journal(&folder)), &sent);
}
