//! A simulation of the whole: the real engine, several instances of it, on the store in memory, on
//! one thread and a clock that jumps from event to event, with every fault that a seed thinks of.
//!
//! ```text
//!  producer,
//!  operators ► Faulty ─┐                        ┌─ Faulty ◄─ engine 1 ─► Outside (destinations)
//!                      ├─► MemoryStore ◄────────┤
//!  chaos: crashes, ────┘        │               └─ Faulty ◄─ engine 2 ─► Outside
//!  stops, clock, fail-over   Witness sees every commit          ▲
//!                                                               └─ wires that outlive their sender
//! ```
//! What must hold is checked at every commit and every arrival, and once more when the faults have
//! ended and the rest has been worked off. See `docs/simulation.md`.
//!
//! **Invariant:** a seed is a run. Nothing here reads a clock, an address or the order of a hash.

mod chance;
mod chaos;
mod clock;
mod drain;
mod fault;
mod instance;
mod many;
mod operator;
mod options;
mod outside;
mod producer;
mod run;
mod sim;
mod trace;
mod verify;
mod wake;
mod witness;
mod world;

pub use many::simulate_many;
pub use options::Options;
pub use run::{Broken, Passed, simulate};
