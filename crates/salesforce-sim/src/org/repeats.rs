//! The same key twice among records that are written together.
//!
//! Salesforce does not choose which one wins: it refuses all of them.

use hashbrown::HashMap;

use crate::refusal::Refusal;
use crate::schema::Field;

/// Which of the keys occur more than once. An empty key is no key.
pub(crate) fn repeated<'a>(
    keys: impl Iterator<Item = &'a str> + Clone,
    field: &Field,
) -> Vec<bool> {
    let fold = |key: &str| if field.case_sensitive { key.to_owned() } else { key.to_lowercase() };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for key in keys.clone().filter(|key| !key.is_empty()) {
        *counts.entry(fold(key)).or_default() += 1;
    }
    keys.map(|key| counts.get(&fold(key)).is_some_and(|&count| count > 1)).collect()
}

/// How one of them is refused.
pub(crate) fn refuse_repeated(field: &Field, key: &str) -> Refusal {
    let what = if &*field.name == "Id" { "id" } else { "external id" };
    Refusal::new("DUPLICATE_VALUE", format!("Duplicate {what} specified: {key}"))
        .about([&*field.name])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    #[test]
    fn all_of_the_same_key_are_marked() {
        let schema = Schema::standard().unwrap();
        let contact = &schema[schema.object("Contact").unwrap()];
        let field = &contact[contact.field("ExternalId__c").unwrap()];
        let keys = ["a", "b", "A", "", ""];
        assert_eq!(repeated(keys.into_iter(), field), [true, false, true, false, false]);
        assert_eq!(refuse_repeated(field, "a").message, "Duplicate external id specified: a");
    }
}
