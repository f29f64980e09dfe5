//! Poison is mirrored once, however often it is read.

use dipmo_domain::InboxStatus;

use crate::rig::{Reading, Rig, Working, read};

#[tokio::test(flavor = "multi_thread")]
async fn trap_3_trap_11_dying_between_store_and_commit_doubles_no_letter() {
    const POISON: usize = 40;
    let rig = Rig::new().await;
    for n in 0..POISON {
        rig.send(&rig.topic, format!("F-{n}").as_bytes(), Some(&[0xff, 0xfe]), &[]);
    }
    rig.flush();
    let reading = Reading::start(rig.source("shop", &[&rig.topic], "json:/id"));
    reading.until("stored", |figures| figures.stored == POISON as u64).await;
    reading.die().await;
    // As if it had died before anybody heard how far it was: everything comes again.
    let offsets = rig.database.client().await.execute("delete from inbox_offset", &[]).await;
    assert_eq!(offsets.unwrap(), 1);
    let reading = Reading::start(rig.source("shop", &[&rig.topic], "json:/id"));
    let figures = reading.until("read again", |figures| figures.records >= POISON as u64).await;
    assert_eq!((figures.stored, figures.duplicates), (0, POISON as u64));
    reading.stop().await;
    let working = Working::start(rig.engine("none"));
    rig.until_letters(POISON).await;
    working.stop().await;
    let mut offsets: Vec<i64> = rig.letters().iter().map(|it| read(it).record.offset).collect();
    offsets.sort_unstable();
    assert!(offsets.into_iter().eq(0..i64::try_from(POISON).unwrap()));
    assert!(rig.rows().await.iter().all(|row| row.status == InboxStatus::SerdeError));
}
