//! Parents before children: records of one object that refer to each other are not sent together.

use std::collections::HashMap;

use super::chains::{Head, Write};
use crate::mapping::{ObjectMapping, fold};
use crate::shaping::Shaped;

/// Sorts a round into waves: nobody's parent is in the same wave or a later one. Those who are
/// their own ancestors come last, for Salesforce to say so.
pub(crate) fn waves(mapping: &ObjectMapping, round: Vec<Head>) -> Vec<Vec<Head>> {
    let columns: Vec<&str> = mapping.own_parents().collect();
    if columns.is_empty() {
        return vec![round];
    }
    let places: HashMap<String, usize> =
        round.iter().enumerate().map(|(at, head)| (fold(head.step.write.key()), at)).collect();
    let parents: Vec<Vec<usize>> =
        round.iter().map(|head| parents(&head.step.write, &columns, &places)).collect();
    let depths = depths(&parents);
    let mut waves: Vec<Vec<Head>> = Vec::new();
    for (head, depth) in round.into_iter().zip(depths) {
        waves.resize_with(waves.len().max(depth + 1), Vec::new);
        waves[depth].push(head);
    }
    waves.retain(|wave| !wave.is_empty());
    waves
}

/// The parents of a write that are in its round.
fn parents(write: &Write, columns: &[&str], places: &HashMap<String, usize>) -> Vec<usize> {
    let Write::Upsert(record) = write else { return Vec::new() };
    let keys = columns.iter().filter_map(|column| record.parent(column));
    keys.filter_map(|key| places.get(&fold(key)).copied()).collect()
}

/// How far each is below one that has no parent. Whoever never gets below one is put behind all
/// others.
fn depths(parents: &[Vec<usize>]) -> Vec<usize> {
    let mut depths: Vec<Option<usize>> = vec![None; parents.len()];
    let mut depth = 0;
    loop {
        let above = |place: &usize| depths[*place].is_some();
        let ready: Vec<usize> = (0..parents.len())
            .filter(|place| depths[*place].is_none() && parents[*place].iter().all(above))
            .collect();
        if ready.is_empty() {
            return depths.into_iter().map(|known| known.unwrap_or(depth)).collect();
        }
        for place in ready {
            depths[place] = Some(depth);
        }
        depth += 1;
    }
}

/// What sorts records so that those of one parent stand together: calls that write to children of
/// one parent at the same time lock each other out.
pub(crate) fn by_parent<'a>(mapping: &ObjectMapping, record: &'a Shaped) -> (&'a str, &'a str) {
    let parent = mapping.parents().find_map(|column| record.parent(column));
    (parent.unwrap_or_default(), &record.key)
}

#[cfg(test)]
mod tests {
    use dipmo_salesforce::Fields;
    use serde_json::json;

    use super::*;
    use crate::fixture::delivery;
    use crate::mapping::{ObjectMapping, Source};
    use crate::shaping::Shape;
    use crate::slice::chains::Chains;

    fn play(records: &[(&str, &str)]) -> Vec<Vec<String>> {
        let mapping = ObjectMapping::new("Account", "ExternalId__c", Source::payload())
            .pointer("Parent.ExternalId__c", "/parent");
        let shape = |(key, parent): &(&str, &str)| {
            let fields = Fields::from_iter([("Parent.ExternalId__c".to_owned(), json!(parent))]);
            let (key, version, children) = ((*key).to_owned(), None, Vec::new());
            Shape::Record(Shaped { key, fields, version, full: true, children })
        };
        let deliveries: Vec<_> = records.iter().map(|(key, _)| delivery(key)).collect();
        let mut chains = Chains::new(&deliveries, records.iter().map(shape).collect());
        let waves = waves(&mapping, chains.next_round());
        let key = |head: &Head| head.step.write.key().to_owned();
        waves.iter().map(|wave| wave.iter().map(key).collect()).collect()
    }

    #[test]
    fn parents_go_before_their_children_and_grandchildren() {
        let records = [("c", "B"), ("b", "a"), ("a", "elsewhere"), ("d", "a")];
        assert_eq!(play(&records), [vec!["a"], vec!["b", "d"], vec!["c"]]);
    }

    #[test]
    fn a_circle_comes_last_and_ends_nothing() {
        let records = [("a", "b"), ("b", "a"), ("c", "c"), ("d", "")];
        assert_eq!(play(&records), [vec!["d"], vec!["a", "b", "c"]]);
    }
}
