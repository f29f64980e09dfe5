//! How much work may be done.

/// The steps that are left. One fuel may serve several programs, which then share it.
///
/// Every part of an expression costs a step each time it is evaluated, and what it produces or walks through
/// costs in proportion: an element a step, eight bytes a step. CEL has no loops but its macros, so a program
/// always ends; the fuel bounds when, and how much memory it may have taken by then.
#[derive(Debug)]
pub struct Fuel {
    left: u64,
    exhausted: bool,
}

/// There was not enough fuel.
#[derive(Debug)]
pub(crate) struct Exhausted;

impl Fuel {
    /// Enough for this many steps.
    #[must_use]
    pub const fn new(steps: u64) -> Self {
        Self { left: steps, exhausted: false }
    }

    /// The steps that are left.
    #[must_use]
    pub const fn left(&self) -> u64 {
        self.left
    }

    /// Whether something wanted more than was left.
    #[must_use]
    pub const fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Takes steps. Who has too few loses the rest too: nothing that comes later may go on as if there was no
    /// failure, not even the other side of an `||`.
    #[inline]
    pub(crate) fn spend(&mut self, steps: u64) -> Result<(), Exhausted> {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                self.exhausted = true;
                Err(Exhausted)
            }
        }
    }

    /// Pays for elements of a list or a map.
    #[inline]
    pub(crate) fn elements(&mut self, count: usize) -> Result<(), Exhausted> {
        self.spend(count as u64)
    }

    /// Pays for bytes.
    #[inline]
    pub(crate) fn bytes(&mut self, count: usize) -> Result<(), Exhausted> {
        self.spend(count as u64 / 8)
    }
}

impl Default for Fuel {
    /// A hundred thousand steps: far more than a decision needs, and at most a few milliseconds.
    fn default() -> Self {
        Self::new(100_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_too_little_has_nothing_left() {
        let mut fuel = Fuel::new(10);
        assert!(fuel.spend(4).is_ok() && !fuel.is_exhausted());
        assert!(fuel.spend(7).is_err());
        assert!(fuel.left() == 0 && fuel.is_exhausted());
        assert!(fuel.spend(1).is_err());
    }
}
