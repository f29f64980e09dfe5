//! Killed in the two gaps that no transaction closes: stored and not yet committed, produced and
//! not yet settled.

use crate::parts::engine::STRICT;
use crate::parts::load::Load;
use crate::parts::look::until;
use crate::parts::road::Road;
use crate::parts::worker::worked_as_child;

const TEST: &str =
    "kafka_gaps::trap_9_24_killed_between_store_and_commit_and_between_produce_and_settle";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trap_9_24_killed_between_store_and_commit_and_between_produce_and_settle() {
    if worked_as_child().await {
        return;
    }
    let road = Road::new(TEST).await;
    let mut load = Load::telling(50, &[STRICT]);
    // Nobody can settle while this is held.
    let hold = road.place.look().await;
    hold.rows("begin; lock table outbox_done, outbox_exception in share mode").await;
    let mut victim = road.late_instance("one");
    road.producer.send(&load.next(500));
    road.producer.flush();
    road.until_stored().await;
    until("published", async || !road.published().is_empty()).await;
    victim.kill();
    // What it had asked of the database must not be done after its death.
    let end = "select count(pg_terminate_backend(pid)) from pg_stat_activity \
               where datname = current_database() and application_name = 'dipmo'";
    hold.rows(end).await;
    let committed = road.committed();
    assert!(committed.iter().all(|offset| *offset < 0), "committed already: {committed:?}");
    assert_eq!(hold.number("select count(*) from outbox_done").await, 0, "settled already");
    let produced = road.published();
    hold.rows("rollback").await;

    let successor = road.instance(Some("one"));
    road.until_all_arrived().await;
    successor.stop().await;
    road.check(&load.sent).await;
    // None of it was settled, so all of it came again, under the id by which a reader knows it.
    let published = road.published();
    let times = |id: &str| published.iter().filter(|line| line.id == id).count();
    assert!(produced.iter().all(|line| times(&line.id) > 1), "what was not settled is sent again");
}
