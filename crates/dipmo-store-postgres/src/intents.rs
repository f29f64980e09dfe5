//! Intents on their way into the outbox: rows, records, and the chunks that make them ready.

use std::collections::HashMap;

use dipmo_domain::{Destination, Lane, RecordKey, StoreError};
use dipmo_outbox::NewIntent;
use tokio_postgres::Row;

use crate::inbox::ID_BLOCK;
use crate::session::Session;
use crate::sql::{self, Call, params};
use crate::types::PgJson;

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
            let blocks = i32::try_from(missing.div_ceil(ID_BLOCK)).unwrap_or(i32::MAX);
            let rows = session.run(vec![sql::outbox_ids().with(params![blocks])]).await?;
            self.add(&rows[0]);
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.0.iter().map(|range| usize::try_from(range.end - range.start).unwrap_or(0)).sum()
    }

    /// The next id; `ensure` made sure that there is one.
    fn next(&mut self) -> i64 {
        let range = self.0.iter_mut().find(|range| range.start < range.end);
        range.and_then(Iterator::next).unwrap_or(0)
    }
}

/// How many ids these intents take: one each, and one for each record.
pub(crate) fn units(intents: &[NewIntent]) -> usize {
    intents.iter().map(|intent| 1 + intent.records.len()).sum()
}

/// The statements that write intents, with lanes for destinations that are new.
pub(crate) fn calls(intents: &[NewIntent], ids: &mut UnitIds, unseen: &[String]) -> Vec<Call> {
    let mut calls = Vec::new();
    if !unseen.is_empty() {
        calls.push(sql::lane_add().with(params![unseen.to_vec()]));
    }
    let mut names: HashMap<&Destination, String> = HashMap::new();
    for intent in intents {
        names.entry(&intent.destination).or_insert_with(|| intent.destination.to_string());
    }
    let mut own_ids = Vec::with_capacity(intents.len());
    let mut records = Records::default();
    let mut chunks = Chunks::default();
    for intent in intents {
        let id = ids.next();
        let destination = names[&intent.destination].as_str();
        own_ids.push(id);
        for (record, key) in intent.units() {
            let (unit, lane) = (record.map_or(id, |_| ids.next()), key.lane());
            if let Some(record) = record {
                records.push(unit, id, destination, record, lane);
            }
            chunks.push(destination, lane, record.is_some(), unit);
        }
    }
    calls.push(insert(intents, own_ids, &names));
    calls.extend(records.calls());
    calls.push(chunks.call());
    calls
}

/// Not by COPY: a batch holds its lanes meanwhile, and one that stands still must be timed out.
fn insert(intents: &[NewIntent], ids: Vec<i64>, names: &HashMap<&Destination, String>) -> Call {
    macro_rules! column {
        ($of:expr) => {
            intents.iter().map($of).collect::<Vec<_>>()
        };
    }
    sql::outbox_insert().with(params![
        ids,
        column!(|i| i.cause.map(|cause| cause.0)),
        column!(|i| i32::from(i.event_version)),
        column!(|i| i.aggregate_type.clone()),
        column!(|i| i.aggregate_id.clone()),
        column!(|i| i.event_type.clone()),
        column!(|i| names[&i.destination].clone()),
        column!(|i| i.reply_to.as_ref().map(|key| key.process.clone())),
        column!(|i| i.reply_to.as_ref().map(|key| key.id.clone())),
        column!(|i| if i.headers.is_empty() { None } else { i.headers.to_json().ok().map(PgJson) }),
        column!(|i| PgJson(i.payload.clone())),
        column!(|i| i16::from(i.order_key().lane().index())),
    ])
}

/// Records of intents, and how many each intent has.
#[derive(Default)]
struct Records {
    ids: Vec<i64>,
    intents: Vec<i64>,
    destinations: Vec<String>,
    keys: Vec<String>,
    lanes: Vec<i16>,
    totals: Vec<(i64, i32)>,
}

impl Records {
    fn push(&mut self, id: i64, intent: i64, destination: &str, key: &RecordKey, lane: Lane) {
        self.ids.push(id);
        self.intents.push(intent);
        self.destinations.push(destination.to_owned());
        self.keys.push(key.0.clone());
        self.lanes.push(i16::from(lane.index()));
        match self.totals.last_mut() {
            Some((last, total)) if *last == intent => *total += 1,
            _ => self.totals.push((intent, 1)),
        }
    }

    fn calls(self) -> Vec<Call> {
        if self.ids.is_empty() {
            return Vec::new();
        }
        let (intents, totals): (Vec<i64>, Vec<i32>) = self.totals.into_iter().unzip();
        vec![
            sql::record_insert().with(params![
                self.ids,
                self.intents,
                self.destinations,
                self.keys,
                self.lanes
            ]),
            sql::progress_insert().with(params![intents, totals]),
        ]
    }
}

/// Units by lane: a chunk holds intents or records, so a new one begins where the kind changes.
#[derive(Default)]
struct Chunks<'a> {
    chunks: Vec<Chunk<'a>>,
    last: HashMap<(&'a str, Lane), usize>,
}

struct Chunk<'a> {
    destination: &'a str,
    lane: Lane,
    records: bool,
    ids: Vec<i64>,
}

impl<'a> Chunks<'a> {
    fn push(&mut self, destination: &'a str, lane: Lane, records: bool, id: i64) {
        let key = (destination, lane);
        if let Some(chunk) = self.last.get(&key).map(|at| &mut self.chunks[*at])
            && chunk.records == records
            && chunk.ids.len() < ID_BLOCK
        {
            chunk.ids.push(id);
            return;
        }
        self.last.insert(key, self.chunks.len());
        self.chunks.push(Chunk { destination, lane, records, ids: vec![id] });
    }

    fn call(self) -> Call {
        let chunks = self.chunks;
        sql::outbox_ready_insert().with(params![
            chunks.iter().map(|chunk| chunk.destination.to_owned()).collect::<Vec<_>>(),
            chunks.iter().map(|chunk| i16::from(chunk.lane.index())).collect::<Vec<_>>(),
            chunks.iter().map(|chunk| chunk.records).collect::<Vec<_>>(),
            chunks.iter().flat_map(|chunk| chunk.ids.iter().copied()).collect::<Vec<_>>(),
            chunks
                .iter()
                .map(|chunk| i32::try_from(chunk.ids.len()).unwrap_or(0))
                .collect::<Vec<_>>(),
        ])
    }
}
