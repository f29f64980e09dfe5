//! Values by name, in the order in which they were put in.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::Value;

/// Up to here a search from the front is faster than any index.
const SMALL: usize = 16;

/// Fields in order, each name once.
#[derive(Clone, Debug, Default)]
pub struct Map {
    entries: Box<[(Arc<str>, Value)]>,
    /// Where each entry stands, when they are many.
    places: Option<HashMap<Arc<str>, usize>>,
}

impl Map {
    /// Of two fields with one name the later counts, in the place of the earlier, as JSON parsers do it.
    #[must_use]
    pub fn new(entries: Vec<(Arc<str>, Value)>) -> Self {
        if entries.len() <= SMALL { Self::small(entries) } else { Self::large(entries) }
    }

    /// The value of a field.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        match &self.places {
            None => self.entries.iter().find(|(known, _)| **known == *name).map(|(_, value)| value),
            Some(places) => places.get(name).map(|&place| &self.entries[place].1),
        }
    }

    /// The fields in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Value)> {
        self.entries.iter().map(|(name, value)| (name, value))
    }

    /// How many fields there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn small(mut entries: Vec<(Arc<str>, Value)>) -> Self {
        let mut at = 1;
        while at < entries.len() {
            match entries[..at].iter().position(|(name, _)| *name == entries[at].0) {
                Some(first) => entries[first].1 = entries.remove(at).1,
                None => at += 1,
            }
        }
        Self { entries: entries.into(), places: None }
    }

    fn large(entries: Vec<(Arc<str>, Value)>) -> Self {
        let mut places: HashMap<Arc<str>, usize> = HashMap::with_capacity(entries.len());
        let mut kept: Vec<(Arc<str>, Value)> = Vec::with_capacity(entries.len());
        for (name, value) in entries {
            match places.entry(Arc::clone(&name)) {
                Entry::Occupied(place) => kept[*place.get()].1 = value,
                Entry::Vacant(place) => {
                    place.insert(kept.len());
                    kept.push((name, value));
                }
            }
        }
        Self { entries: kept.into(), places: Some(places) }
    }
}

/// The order of fields does not matter.
impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: i64) -> Vec<(Arc<str>, Value)> {
        (0..count).map(|n| (format!("f{n}").into(), Value::Int(n))).collect()
    }

    #[test]
    fn fields_are_found_in_maps_of_every_size() {
        for count in [0, 1, 2, 15, 16, 17, 18, 200] {
            let map = Map::new(numbered(count));
            for n in 0..count {
                assert_eq!(map.get(&format!("f{n}")), Some(&Value::Int(n)), "{n} of {count}");
            }
            assert_eq!(map.get("g"), None);
            assert!(
                map.iter().map(|(_, value)| value.clone()).eq((0..count).map(Value::Int)),
                "in order"
            );
        }
    }

    #[test]
    fn of_two_fields_with_one_name_the_later_counts() {
        for count in [2, 16, 17, 40] {
            let mut entries = numbered(count);
            entries.push(("f0".into(), Value::Null));
            entries.push(("f1".into(), Value::Int(7)));
            entries.push(("f0".into(), Value::Bool(true)));
            let map = Map::new(entries);
            assert_eq!(map.len(), usize::try_from(count).unwrap());
            assert_eq!(map.get("f0"), Some(&Value::Bool(true)));
            assert_eq!(map.get("f1"), Some(&Value::Int(7)));
            assert_eq!(&**map.iter().next().unwrap().0, "f0");
        }
    }

    #[test]
    fn the_order_of_fields_makes_no_difference() {
        let mut turned = numbered(20);
        turned.reverse();
        assert_eq!(Map::new(numbered(20)), Map::new(turned));
        assert_ne!(Map::new(numbered(20)), Map::new(numbered(19)));
    }
}
