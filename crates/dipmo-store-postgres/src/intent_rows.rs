//! Rows of the outbox, column by column, as their statements take them.

use std::collections::HashMap;

use dipmo_domain::{Lane, RecordKey};
use dipmo_outbox::NewIntent;

use crate::inbox::ID_BLOCK;
use crate::intents::Names;
use crate::sql::{self, Call, params};
use crate::types::{PgJson, PgTime};

macro_rules! columns {
    ($(#[$doc:meta])* $name:ident { $($column:ident: $type:ty),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Default)]
        pub(crate) struct $name { $($column: Vec<$type>),+ }

        impl $name {
            pub(crate) fn with_capacity(rows: usize) -> Self {
                Self { $($column: Vec::with_capacity(rows)),+ }
            }
        }
    };
}

columns! {
    /// Intents; what they own is moved, not copied.
    Intents {
        ids: i64,
        causes: Option<i64>,
        event_versions: i32,
        aggregate_types: String,
        aggregate_ids: String,
        event_types: String,
        destinations: String,
        reply_processes: Option<String>,
        reply_ids: Option<String>,
        headers: Option<PgJson>,
        payloads: PgJson,
        lanes: i16,
        caused_at: Option<PgTime>,
    }
}

impl Intents {
    pub(crate) fn push(&mut self, id: i64, lane: Lane, destination: &str, intent: NewIntent) {
        let headers = if intent.headers.is_empty() { None } else { intent.headers.to_json().ok() };
        let (process, instance) =
            intent.reply_to.map_or((None, None), |key| (Some(key.process), Some(key.id)));
        self.ids.push(id);
        self.causes.push(intent.cause.map(|cause| cause.0));
        self.event_versions.push(i32::from(intent.event_version));
        self.aggregate_types.push(intent.aggregate_type);
        self.aggregate_ids.push(intent.aggregate_id);
        self.event_types.push(intent.event_type);
        self.destinations.push(destination.to_owned());
        self.reply_processes.push(process);
        self.reply_ids.push(instance);
        self.headers.push(headers.map(PgJson));
        self.payloads.push(PgJson(intent.payload));
        self.lanes.push(i16::from(lane.index()));
        self.caused_at.push(intent.caused_at.map(PgTime));
    }

    /// Not by COPY: a batch holds its lanes meanwhile, and one that stands still must be timed out.
    pub(crate) fn call(self) -> Call {
        sql::outbox_insert().with(params![
            self.ids,
            self.causes,
            self.event_versions,
            self.aggregate_types,
            self.aggregate_ids,
            self.event_types,
            self.destinations,
            self.reply_processes,
            self.reply_ids,
            self.headers,
            self.payloads,
            self.lanes,
            self.caused_at,
        ])
    }
}

/// Records of intents, and how many each intent has.
#[derive(Default)]
pub(crate) struct Records {
    ids: Vec<i64>,
    intents: Vec<i64>,
    destinations: Vec<String>,
    keys: Vec<String>,
    lanes: Vec<i16>,
    totals: Vec<(i64, i32)>,
}

impl Records {
    pub(crate) fn push(
        &mut self,
        id: i64,
        intent: i64,
        destination: &str,
        key: &RecordKey,
        lane: Lane,
    ) {
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

    pub(crate) fn calls(self) -> Vec<Call> {
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
pub(crate) struct Chunks {
    chunks: Vec<Chunk>,
    last: HashMap<(usize, Lane), usize>,
}

struct Chunk {
    /// Its place in [`Names`].
    destination: usize,
    lane: Lane,
    records: bool,
    ids: Vec<i64>,
}

impl Chunks {
    pub(crate) fn push(&mut self, destination: usize, lane: Lane, records: bool, id: i64) {
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

    pub(crate) fn call(self, names: &Names) -> Call {
        let chunks = self.chunks;
        sql::outbox_ready_insert().with(params![
            chunks.iter().map(|chunk| names.text(chunk.destination).to_owned()).collect::<Vec<_>>(),
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
