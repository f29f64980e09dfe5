//! The same key twice among records that are written together.
//!
//! Salesforce does not choose which one wins: it refuses all of them. Keys are compared as the
//! org would compare them: without blanks around, `7.0` is `7`, and case as the field says.

use hashbrown::HashTable;

use super::accept;
use super::index::{hash, same, tells_case};
use crate::refusal::{Refusal, shown};
use crate::schema::Field;
use crate::value::Value;

/// Which of the keys occur more than once. What cannot be a key is refused for itself.
pub(crate) fn repeated<'a>(keys: impl Iterator<Item = &'a str>, field: &Field) -> Vec<bool> {
    let values: Vec<_> =
        keys.map(|key| accept::from_text(field, key).unwrap_or_default()).collect();
    let case_sensitive = tells_case(field);
    let hash_of = |value: &Value| hash(value, case_sensitive);
    let mut repeated = vec![false; values.len()];
    let mut first_places: HashTable<usize> = HashTable::with_capacity(values.len());
    for (place, value) in values.iter().enumerate().filter(|(_, value)| !value.is_blank()) {
        let known =
            first_places.find(hash_of(value), |&at| same(&values[at], value, case_sensitive));
        match known {
            Some(&first) => {
                repeated[first] = true;
                repeated[place] = true;
            }
            None => {
                first_places.insert_unique(hash_of(value), place, |&at| hash_of(&values[at]));
            }
        }
    }
    repeated
}

/// How one of them is refused.
pub(crate) fn refuse_repeated(field: &Field, key: &str) -> Refusal {
    let what = if &*field.name == "Id" { "id" } else { "external id" };
    let message = format!("Duplicate {what} specified: {}", shown(key));
    Refusal::new("DUPLICATE_VALUE", message).about([&*field.name])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    #[test]
    fn all_of_the_same_key_are_marked() {
        let number = "objects: {Contact: {fields: {Number__c: {type: double, external_id: true}}}}";
        let schema = Schema::parse(number).unwrap();
        let contact = &schema[schema.object("Contact").unwrap()];
        for (name, keys, marks) in [
            (
                "ExternalId__c",
                &["a", "b", " A ", "", ""][..],
                &[true, false, true, false, false][..],
            ),
            ("Number__c", &["7", "7.0", "x", "x"], &[true, true, false, false]),
            ("Id", &["003Hs000000000a", "003Hs000000000A"], &[false, false]),
            ("Id", &["003Hs0000000001", "003Hs0000000001IAA"], &[true, true]),
        ] {
            let field = &contact[contact.field(name).unwrap()];
            assert_eq!(repeated(keys.iter().copied(), field), marks, "{name} {keys:?}");
        }
        let field = &contact[contact.field("Id").unwrap()];
        assert_eq!(refuse_repeated(field, "a").message, "Duplicate id specified: a");
    }
}
