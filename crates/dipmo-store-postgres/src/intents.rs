//! Intents on their way into the outbox: rows, records, and the chunks that make them ready.

use dipmo_domain::{Destination, StoreError};
use dipmo_outbox::NewIntent;
use tokio_postgres::Row;

use crate::inbox::ID_BLOCK;
use crate::intent_rows::{Chunks, Intents, Records};
use crate::session::Session;
use crate::sql::{self, Call, params};

/// Ids of intents and records that this batch may use, in growing order.
#[derive(Default)]
pub(crate) struct UnitIds(Vec<std::ops::Range<i64>>);

impl UnitIds {
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds blocks as `outbox_ids` answers them.
    pub(crate) fn add(&mut self, rows: &[Row]) {
        let size = i64::try_from(ID_BLOCK).unwrap_or(i64::MAX);
        self.0.extend(rows.iter().map(|row| {
            let first: i64 = row.get(0);
            first..first + size
        }));
    }

    /// Fetches more when fewer than `units` are left.
    pub(crate) async fn ensure(
        &mut self,
        session: &mut Session,
        units: usize,
    ) -> Result<(), StoreError> {
        let missing = units.saturating_sub(self.len());
        if missing > 0 {
            self.fetch_after(session, Vec::new(), missing).await?;
        }
        Ok(())
    }

    /// Fetches ids for so many units, in the round trip of what comes before.
    pub(crate) async fn fetch_after(
        &mut self,
        session: &mut Session,
        mut before: Vec<Call>,
        units: usize,
    ) -> Result<(), StoreError> {
        let blocks = i32::try_from(units.div_ceil(ID_BLOCK)).unwrap_or(i32::MAX);
        before.push(sql::outbox_ids().with(params![blocks]));
        let rows = session.run(before).await?.pop().unwrap_or_default();
        self.add(&rows);
        Ok(())
    }

    fn len(&self) -> usize {
        self.0.iter().map(|range| usize::try_from(range.end - range.start).unwrap_or(0)).sum()
    }

    /// The next id; `ensure` made sure that there is one.
    pub(crate) fn next(&mut self) -> i64 {
        let range = self.0.iter_mut().find(|range| range.start < range.end);
        range.and_then(Iterator::next).unwrap_or(0)
    }
}

/// How many ids these intents take: one each, and one for each record.
pub(crate) fn units(intents: &[NewIntent]) -> usize {
    intents.iter().map(|intent| 1 + intent.records.len()).sum()
}

/// The statements that write intents, with lanes for destinations that are new.
pub(crate) fn calls(intents: Vec<NewIntent>, ids: &mut UnitIds, unseen: &[String]) -> Vec<Call> {
    let mut names = Names::default();
    let mut rows = Intents::with_capacity(intents.len());
    let mut records = Records::default();
    let mut chunks = Chunks::default();
    for intent in intents {
        let id = ids.next();
        let destination = names.find(&intent.destination);
        let name = names.text(destination);
        let mut own_lane = None;
        for (record, key) in intent.units() {
            let (unit, lane) = (record.map_or(id, |_| ids.next()), key.lane());
            match record {
                Some(record) => records.push(unit, id, name, record, lane),
                None => own_lane = Some(lane),
            }
            chunks.push(destination, lane, record.is_some(), unit);
        }
        let lane = own_lane.unwrap_or_else(|| intent.order_key().lane());
        rows.push(id, lane, name, intent);
    }
    let mut calls = Vec::new();
    if !unseen.is_empty() {
        calls.push(sql::lane_add().with(params![unseen.to_vec()]));
    }
    calls.push(rows.call());
    calls.extend(records.calls());
    calls.push(chunks.call(&names));
    calls
}

/// The destinations of a batch, each written out once: there are few.
#[derive(Default)]
pub(crate) struct Names(Vec<(Destination, String)>);

impl Names {
    fn find(&mut self, destination: &Destination) -> usize {
        let known = self.0.iter().position(|(known, _)| known == destination);
        known.unwrap_or_else(|| {
            self.0.push((destination.clone(), destination.to_string()));
            self.0.len() - 1
        })
    }

    pub(crate) fn text(&self, place: usize) -> &str {
        &self.0[place].1
    }
}
