//! The source on a real broker and real stores, counted to the record.

mod assigning;
mod bytes;
mod growing;
mod poison;
mod rebalancing;
mod rig;
mod storing;
mod trouble;
