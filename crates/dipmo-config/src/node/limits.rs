//! What a file may come to: larger, deeper or more repeated ones are not written by people.

use crate::problem::codes;
use crate::{Place, Problem};

/// The largest file.
pub(crate) const BYTES: usize = 4 << 20;
/// How deep maps and lists may be in each other.
const DEPTH: usize = 64;
/// How many values a file may have, counting those that aliases repeat.
const NODES: usize = 200_000;
/// How much text a file may come to when aliases repeat it.
const TEXT: usize = 4 * BYTES;

/// How much something is.
#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    pub(super) nodes: usize,
    pub(super) text: usize,
}

impl Size {
    /// Adds what comes at a place.
    pub(super) fn grow(&mut self, more: Self, place: Place) -> Result<(), Box<Problem>> {
        self.nodes = self.nodes.saturating_add(more.nodes);
        self.text = self.text.saturating_add(more.text);
        if self.nodes > NODES {
            return refuse(
                place,
                format!("the file has more than {NODES} values, counting what aliases repeat"),
            );
        }
        if self.text > TEXT {
            let message = "the file comes to too much text, counting what aliases repeat";
            return refuse(place, message.to_owned());
        }
        Ok(())
    }

    /// What came since.
    pub(super) fn since(self, before: Self) -> Self {
        Self { nodes: self.nodes - before.nodes, text: self.text - before.text }
    }
}

/// Refuses what is deeper than anything that is read by going down in it may be.
pub(super) fn not_too_deep(depth: usize, place: Place) -> Result<(), Box<Problem>> {
    if depth <= DEPTH {
        return Ok(());
    }
    refuse(place, format!("maps and lists are more than {DEPTH} deep in each other"))
}

/// Refuses what is too large to be looked at.
pub(super) fn not_too_large(file: u16, text: &str) -> Result<(), Box<Problem>> {
    if text.len() <= BYTES {
        return Ok(());
    }
    refuse(Place::new(file, 0..0), format!("the file is larger than {} MiB", BYTES >> 20))
}

fn refuse(place: Place, message: String) -> Result<(), Box<Problem>> {
    Err(Box::new(Problem::error(codes::LIMIT, place, message)))
}
