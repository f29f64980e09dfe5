//! What must hold: a figure that is worse is shown as missed.

use std::fmt;

use crate::report::Row;

/// A bound on a ratio, or on a value that is no ratio.
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

const GATES: [(&str, Bound); 30] = [
    ("core.ingest", Bound::AtLeast(0.70)),
    ("core.process", Bound::AtLeast(0.65)),
    ("core.settle", Bound::AtLeast(1.1)),
    ("core.pipeline", Bound::AtLeast(0.36)),
    ("core.pipeline_wal", Bound::AtMost(4_200.0)),
    ("core.history", Bound::AtLeast(0.88)),
    ("core.history_ingest", Bound::AtLeast(0.65)),
    ("core.blocked", Bound::AtLeast(0.90)),
    ("core.latency_p99", Bound::AtMost(15.0)),
    ("core.memory_mb", Bound::AtMost(100.0)),
    ("kafka.ingest", Bound::AtLeast(0.55)),
    ("kafka.ingest_gain", Bound::AtLeast(8.0)),
    ("kafka.publish", Bound::AtLeast(0.60)),
    ("kafka.end_to_end", Bound::AtLeast(0.28)),
    ("kafka.transactions", Bound::AtLeast(0.5)),
    ("kafka.end_to_end_p99", Bound::AtMost(100.0)),
    ("kafka.memory_mb", Bound::AtMost(150.0)),
    ("salesforce.bulk", Bound::AtLeast(1.0)),
    ("salesforce.bulk_calls_per_job", Bound::AtMost(6.0)),
    ("salesforce.bulk_memory_mb", Bound::AtMost(100.0)),
    ("salesforce.collections_calls_per_1000", Bound::AtMost(6.0)),
    ("salesforce.auto_calls_per_1000", Bound::AtMost(10.0)),
    ("service.declared_vs_rust", Bound::AtLeast(0.85)),
    ("service.binary_mb", Bound::AtMost(40.0)),
    ("service.ready_ms", Bound::AtMost(1_000.0)),
    // What waits grew by no more than a second of the load, and memory by no more than a tenth.
    ("service.soak_depth_growth", Bound::AtMost(1.0)),
    ("service.soak_memory_growth", Bound::AtMost(10.0)),
    ("operate.list_p99_ms", Bound::AtMost(200.0)),
    ("operate.journey_p99_ms", Bound::AtMost(200.0)),
    ("operate.database_share", Bound::AtMost(0.05)),
];

/// A bound, and whether a figure is within it.
pub(crate) struct Judged {
    bound: &'static Bound,
    pub(crate) holds: bool,
}

/// Judges a figure; `None` when nothing is asked of it.
pub(crate) fn judge(row: &Row) -> Option<Judged> {
    let (_, bound) = GATES.iter().find(|(metric, _)| *metric == row.metric)?;
    let value = row.ratio.map_or(row.value, |(ratio, _)| ratio.median);
    let holds = match bound {
        Bound::AtLeast(least) => value >= *least,
        Bound::AtMost(most) => value <= *most,
    };
    Some(Judged { bound, holds })
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bound {
            Bound::AtLeast(least) => write!(f, "≥ {least:.2}")?,
            Bound::AtMost(most) => write!(f, "≤ {most}")?,
        }
        f.write_str(if self.holds { "" } else { ": MISSED" })
    }
}
