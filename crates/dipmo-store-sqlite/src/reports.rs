//! Reports: how old what waits is, what is hot, and whether the file is as it must be.
//!
//! **Invariant:** a report reads so many rows of each lane, status and destination and no more.

use async_trait::async_trait;
use dipmo_domain::{Lane, StoreError};
use dipmo_store::Side;
use dipmo_store::admin::{
    AGES, Aged, Ageing, Hot, HotAggregate, HotKey, RECENT, Reports, Soundness, Waits,
};
use rusqlite::Row;

use crate::sql::Sql;
use crate::tx::Tx;
use crate::{SqliteStore, rows, sql};

/// So many ready rows of every lane are read.
const READY: u64 = 500;
/// So many rows of every status, or every destination, that left the straight path are read.
const ASIDE: u64 = 20_000;

/// What a message has that waits.
const STATUSES: [&str; 4] = ["RECEIVED", "RETRY", "FAILED", "SERDE_ERROR"];

#[async_trait]
impl Reports for SqliteStore {
    async fn ageing(&self) -> Result<Ageing, StoreError> {
        self.read(|tx| Count { tx, aged: Vec::new(), complete: true }.all()).await
    }

    async fn hot(&self, limit: u32) -> Result<Hot, StoreError> {
        self.read(move |tx| hot(tx, limit)).await
    }

    async fn soundness(&self) -> Result<Soundness, StoreError> {
        self.read(|tx| {
            let seen = tx.one(&sql::soundness(), [], |row| {
                Ok(Soundness {
                    audit_is_kept: row.get::<_, u32>(0)? == 2,
                    months: None,
                    bytes: row.get(1)?,
                })
            })?;
            Ok(seen.unwrap_or(Soundness { audit_is_kept: false, months: None, bytes: 0 }))
        })
        .await
    }
}

/// What was counted so far.
struct Count<'a, 'c> {
    tx: &'a Tx<'c>,
    aged: Vec<Aged>,
    complete: bool,
}

impl Count<'_, '_> {
    fn all(mut self) -> Result<Ageing, StoreError> {
        for index in 0..Lane::COUNT {
            if let Some(lane) = Lane::from_index(index.into()) {
                self.ready(Side::Inbox, "", lane)?;
            }
        }
        for (destination, lane) in lanes(self.tx)? {
            self.ready(Side::Outbox, &destination, lane)?;
        }
        for status in STATUSES {
            self.aside(Side::Inbox, &sql::ageing_aside_inbox(), status)?;
        }
        for destination in destinations(self.tx)? {
            self.aside(Side::Outbox, &sql::ageing_aside_outbox(), &destination)?;
        }
        Ok(Ageing::of(self.tx.now(), self.complete, self.aged))
    }

    fn ready(&mut self, side: Side, queue: &str, lane: Lane) -> Result<(), StoreError> {
        let [first, second, third, last] = bounds();
        let (now, most) = (self.tx.now().as_micros(), READY + 1);
        let (index, read) = (lane.index(), |row: &Row<'_>| {
            Ok((row.get::<_, usize>(0)?, row.get::<_, u64>(1)?, rows::time(row, 2)?))
        });
        let (counted, status) = match side {
            Side::Inbox => {
                let params = (index, most, now, first, second, third, last);
                (self.tx.all(&sql::ageing_inbox(), params, read)?, "RECEIVED")
            }
            Side::Outbox => {
                let params = (index, most, now, first, second, third, last, queue);
                (self.tx.all(&sql::ageing_outbox(), params, read)?, "PENDING")
            }
        };
        self.complete &= counted.iter().map(|(_, count, _)| count).sum::<u64>() <= READY;
        let aged = |(age, count, oldest)| {
            let (queue, status) = (queue.to_owned(), status.to_owned());
            Aged { side, queue, lane, status, waits: None, age, count, oldest }
        };
        self.aged.extend(counted.into_iter().map(aged));
        Ok(())
    }

    fn aside(&mut self, side: Side, sql: &Sql, of: &str) -> Result<(), StoreError> {
        let [first, second, third, last] = bounds();
        let params = (of, ASIDE + 1, self.tx.now().as_micros(), first, second, third, last);
        let counted = self.tx.all(sql, params, |row| aged(side, row))?;
        self.complete &= counted.iter().map(|it| it.count).sum::<u64>() <= ASIDE;
        self.aged.extend(counted);
        Ok(())
    }
}

fn hot(tx: &Tx<'_>, limit: u32) -> Result<Hot, StoreError> {
    let read = |side: Side| move |row: &Row<'_>| Ok((hot_key(side, row)?, row.get::<_, bool>(6)?));
    let mut keys = tx.all(&sql::hot_keys_inbox(), (limit, ASIDE), read(Side::Inbox))?;
    for destination in destinations(tx)? {
        let params = (limit, ASIDE, destination);
        keys.extend(tx.all(&sql::hot_keys_outbox(), params, read(Side::Outbox))?);
    }
    let complete = !keys.iter().any(|(_, more)| *more);
    let keys = keys.into_iter().map(|(key, _)| key).collect();
    let recent = tx.all(&sql::hot_recent(), (limit, RECENT), |row| {
        let (aggregate, messages) = (row.get(0)?, row.get(1)?);
        let last = rows::time(row, 2)?;
        Ok((HotAggregate { aggregate, messages, last }, row.get::<_, u64>(3)?))
    })?;
    let among = recent.first().map_or(0, |(_, among)| *among);
    let recent = recent.into_iter().map(|(aggregate, _)| aggregate).collect();
    Ok(Hot { keys: HotKey::worst(keys, limit), complete, recent, among })
}

fn lanes(tx: &Tx<'_>) -> Result<Vec<(String, Lane)>, StoreError> {
    tx.all(&sql::ageing_lanes(), [], |row| Ok((row.get(0)?, rows::lane(row, 1)?)))
}

fn destinations(tx: &Tx<'_>) -> Result<Vec<String>, StoreError> {
    let mut all: Vec<_> = lanes(tx)?.into_iter().map(|(destination, _)| destination).collect();
    all.dedup();
    Ok(all)
}

/// Where ages end, in microseconds.
fn bounds() -> [i64; 4] {
    AGES.map(|age| i64::try_from(age.as_micros()).unwrap_or(i64::MAX))
}

fn aged(side: Side, row: &Row<'_>) -> rusqlite::Result<Aged> {
    let (held, parked): (bool, bool) = (row.get(3)?, row.get(4)?);
    Ok(Aged {
        side,
        queue: row.get(0)?,
        lane: rows::lane(row, 1)?,
        status: row.get(2)?,
        waits: held.then_some(Waits::Held).or_else(|| parked.then_some(Waits::Parked)),
        age: row.get(5)?,
        count: row.get(6)?,
        oldest: rows::time(row, 7)?,
    })
}

fn hot_key(side: Side, row: &Row<'_>) -> rusqlite::Result<HotKey> {
    Ok(HotKey {
        side,
        queue: row.get(0)?,
        key: row.get(1)?,
        waiting: row.get(2)?,
        oldest: rows::time(row, 3)?,
        head: row.get(4)?,
        is_aggregate: row.get::<_, Option<bool>>(5)?.unwrap_or_default(),
    })
}
