//! Members that are killed and others that come and go, all the time: as many out as in.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rdkafka::consumer::Consumer as _;
use rdkafka::{Offset, TopicPartitionList};

use crate::child::{self, Orders};
use crate::rig::{PATIENCE, Rig, asking};

const PARTITIONS: i32 = 6;
const MEMBERS: usize = 3;
/// Records of one round, after which somebody goes and somebody comes.
const ROUND: u32 = 1_000;

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_random_and_rebalanced_all_the_time_as_many_come_out_as_went_in() {
    let full = std::env::var("DIPMO_TEST_FULL").is_ok_and(|value| value == "1");
    let rounds = if full { 200 } else { 20 };
    let seed = fastrand::u64(..);
    let mut chance = fastrand::Rng::with_seed(seed);
    let rig = Rig::new(PARTITIONS).await;
    let mut members: Vec<Option<Child>> = (0..MEMBERS).map(|at| Some(begin(&rig, at))).collect();
    until_read(&rig, i64::from(ROUND / 2), || rig.send_numbers(0..ROUND)).await;
    let mut killed = 0;
    for round in 1..rounds {
        rig.send_numbers(round * ROUND..(round + 1) * ROUND);
        let at = chance.usize(..MEMBERS);
        if let Some(mut child) = members[at].take() {
            if killed == 0 || chance.bool() {
                child.kill().unwrap();
                killed += 1;
            } else {
                drop(child.stdin.take());
            }
            child.wait().unwrap();
        } else {
            members[at] = Some(begin(&rig, at));
        }
        tokio::time::sleep(Duration::from_millis(chance.u64(200..1_000))).await;
    }
    for (at, member) in members.iter_mut().enumerate() {
        member.get_or_insert_with(|| begin(&rig, at));
    }
    let all = rounds * ROUND;
    until_read(&rig, i64::from(all), || ()).await;
    for mut child in members.into_iter().flatten() {
        drop(child.stdin.take());
        child.wait().unwrap();
    }
    let counted = foreign(&rig);
    let expected: Vec<u32> = (0..all).collect();
    assert!(counted == expected, "seed {seed}: {}", difference(&counted, all));
}

/// Two keep their names when they come back, one does not: the broker notices that it is gone.
fn begin(rig: &Rig, at: usize) -> Child {
    let name = format!("member-{at}");
    let instance = (at > 0).then_some(name.as_str());
    child::start(rig, &Orders { instance, timeout: Duration::from_secs(6), ..Orders::default() })
}

/// Waits until the group has so much behind it.
async fn until_read(rig: &Rig, all: i64, first: impl Fn()) {
    let client = asking(&rig.kafka, &rig.group);
    first();
    let began = Instant::now();
    loop {
        let mut places = TopicPartitionList::new();
        (0..PARTITIONS).for_each(|partition| {
            places.add_partition(&rig.from, partition);
        });
        let committed = client.committed_offsets(places, PATIENCE).unwrap();
        let offset = |offset| if let Offset::Offset(offset) = offset { offset } else { 0 };
        let read: i64 = committed.elements().iter().map(|it| offset(it.offset())).sum();
        if read >= all {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{read} of {all} were read");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What a client that is not ours reads of committed records.
fn foreign(rig: &Rig) -> Vec<u32> {
    let mut kcat = Command::new("kcat");
    kcat.args(["-C", "-b", &rig.kafka.bootstrap_servers, "-t", &rig.to, "-e", "-q"]);
    kcat.args(["-X", "isolation.level=read_committed", "-f", "%s\n"]);
    let output = kcat.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut numbers: Vec<u32> = text.lines().map(|line| line.parse().unwrap()).collect();
    numbers.sort_unstable();
    numbers
}

fn difference(counted: &[u32], all: u32) -> String {
    let doubled = counted.windows(2).filter(|pair| pair[0] == pair[1]).count();
    let missing = (0..all).filter(|number| counted.binary_search(number).is_err()).count();
    format!("{} read, {doubled} doubled, {missing} missing", counted.len())
}
