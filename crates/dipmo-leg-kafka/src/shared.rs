//! What the thread of a leg, the callbacks of its clients and whoever asks share.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dipmo_kafka::{Board, Place};

use crate::metrics::Metrics;
use crate::options::LegOptions;
use crate::transform::Transform;

/// The parts of one leg.
pub(crate) struct Shared {
    pub(crate) options: LegOptions,
    pub(crate) transform: Arc<dyn Transform>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) board: Board,
    /// Set when the broker had no more what we wanted to read: the next who begins there looks what
    /// is left.
    pub(crate) lost_place: AtomicBool,
    /// Whether the group told us what is ours, be it nothing.
    pub(crate) joined: AtomicBool,
    /// Partitions that wait until something is due.
    pub(crate) waiting: AtomicUsize,
    /// The partitions that are ours, with the next offset where it is known.
    positions: Mutex<BTreeMap<Place, Option<i64>>>,
}

impl Shared {
    pub(crate) fn new(options: LegOptions, transform: Arc<dyn Transform>) -> Self {
        Self {
            options,
            transform,
            metrics: Arc::default(),
            board: Board::new("Kafka leg"),
            lost_place: AtomicBool::new(false),
            joined: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            positions: Mutex::default(),
        }
    }

    /// The partitions that are ours; held for moments only.
    pub(crate) fn positions(&self) -> MutexGuard<'_, BTreeMap<Place, Option<i64>>> {
        self.positions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
