//! The order keys with the most messages, in bounded memory.

use dipmo_domain::OrderKey;

/// How many keys are followed.
const SEATS: usize = 16;

/// Follows the keys that come most often: a newcomer takes the seat and the count of the rarest,
/// so that a key with a large share is never missed, and its count is at most too high.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heavy(Vec<(OrderKey, u64)>);

impl Heavy {
    pub(crate) fn add(&mut self, key: &OrderKey, count: u64) {
        if let Some((_, seen)) = self.0.iter_mut().find(|(known, _)| known == key) {
            *seen += count;
        } else if self.0.len() < SEATS {
            self.0.push((key.clone(), count));
        } else if let Some(rarest) = self.0.iter_mut().min_by_key(|(_, seen)| *seen) {
            *rarest = (key.clone(), rarest.1 + count);
        }
    }

    /// The keys, the heaviest first.
    pub(crate) fn top(&self) -> Vec<(OrderKey, u64)> {
        let mut top = self.0.clone();
        top.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        top
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heavy_key_is_found_among_many_light_ones() {
        let mut heavy = Heavy::default();
        for number in 0..1_000 {
            heavy.add(&OrderKey::new(&format!("light-{number}")), 1);
            heavy.add(&OrderKey::new("heavy"), 1);
        }
        assert_eq!(heavy.top()[0].0, OrderKey::new("heavy"));
        assert_eq!(heavy.top().len(), SEATS);
    }
}
