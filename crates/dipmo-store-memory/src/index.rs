//! An index: the sorted items under each key.

use std::ops::Bound;

use crate::database::{Map, Set};

/// Keys without items are not in it.
#[derive(Clone)]
pub(crate) struct Index<K: Ord, T: Ord>(Map<K, Set<T>>);

impl<K: Ord + Clone, T: Ord> Index<K, T> {
    pub(crate) fn add(&mut self, key: &K, item: T) {
        let mut items = self.0.get(key).cloned().unwrap_or_default();
        items.insert_mut(item);
        self.0.insert_mut(key.clone(), items);
    }

    /// True when it was there.
    pub(crate) fn remove(&mut self, key: &K, item: &T) -> bool {
        let Some(mut items) = self.0.get(key).cloned() else { return false };
        let was_there = items.remove_mut(item);
        if items.is_empty() {
            self.0.remove_mut(key);
        } else {
            self.0.insert_mut(key.clone(), items);
        }
        was_there
    }

    /// The items of a key, sorted.
    pub(crate) fn of<'a>(&'a self, key: &K) -> impl Iterator<Item = &'a T> + use<'a, K, T> {
        self.0.get(key).into_iter().flatten()
    }

    /// The items of a key from a bound on, sorted.
    pub(crate) fn range<'a>(
        &'a self,
        key: &K,
        from: Bound<T>,
    ) -> impl Iterator<Item = &'a T> + use<'a, K, T> {
        let items = self.0.get(key);
        items.map(|items| items.range((from, Bound::Unbounded))).into_iter().flatten()
    }

    /// The first item of a key.
    pub(crate) fn first(&self, key: &K) -> Option<&T> {
        self.0.get(key).and_then(Set::first)
    }

    /// How many items there are under all keys.
    pub(crate) fn len(&self) -> usize {
        self.0.values().map(Set::size).sum()
    }

    /// The keys that have items, sorted.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.keys()
    }
}

impl<K: Ord, T: Ord> Default for Index<K, T> {
    fn default() -> Self {
        Self(Map::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_with_its_last_item() {
        let mut index = Index::default();
        index.add(&'a', 2);
        index.add(&'a', 1);
        assert_eq!(index.of(&'a').copied().collect::<Vec<_>>(), [1, 2]);
        assert!(index.remove(&'a', &1) && !index.remove(&'a', &1));
        assert_eq!(index.keys().count(), 1);
        assert!(index.remove(&'a', &2));
        assert_eq!(index.keys().count(), 0);
    }
}
