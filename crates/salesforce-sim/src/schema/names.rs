//! Things by name, in any case.

use hashbrown::HashTable;

use crate::fold;

/// Which place in a list a name has.
#[derive(Debug, Default)]
pub(crate) struct Names {
    entries: Vec<(Box<str>, u16)>,
    places: HashTable<usize>,
}

impl Names {
    /// Says that this name means this place; `false` if the name is taken.
    pub(crate) fn add(&mut self, name: &str, place: u16) -> bool {
        if self.get(name).is_some() {
            return false;
        }
        self.entries.push((name.into(), place));
        let entries = &self.entries;
        self.places
            .insert_unique(fold::hash(name), entries.len() - 1, |&at| fold::hash(&entries[at].0));
        true
    }

    /// The place of the name.
    pub(crate) fn get(&self, name: &str) -> Option<u16> {
        let found = self.places.find(fold::hash(name), |&at| fold::same(&self.entries[at].0, name));
        found.map(|&at| self.entries[at].1)
    }

    /// The names that exist, for a suggestion.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(name, _)| &**name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_any_case_and_taken_once() {
        let mut names = Names::default();
        assert!(names.add("LastName", 3));
        assert!(!names.add("LASTNAME", 4));
        assert_eq!(names.get("lastname"), Some(3));
        assert_eq!(names.get("FirstName"), None);
        assert_eq!(names.all().collect::<Vec<_>>(), ["LastName"]);
    }
}
