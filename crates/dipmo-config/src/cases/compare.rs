//! Whether what happened is what was expected: only what is named counts, and a list that is named is
//! complete and in order.

use dipmo_domain::Timestamp;
use serde_json::Value;

use super::plain::{Plain, PlainKind};
use crate::Place;

/// Where the first difference is expected; `None` when there is none.
pub(super) fn difference(expected: &Plain, found: Option<&Plain>) -> Option<Option<Place>> {
    let here = Some(expected.place);
    let Some(found) = found else {
        // What is not there is null.
        return if is_null(expected) { None } else { here };
    };
    match (&expected.kind, &found.kind) {
        (PlainKind::Map(entries), PlainKind::Map(_)) => {
            entries.iter().find_map(|(key, value)| difference(value, found.get(key)))
        }
        (PlainKind::List(items), PlainKind::List(others)) => {
            let pairs = items.iter().zip(others);
            let inside = pairs.filter_map(|(item, other)| difference(item, Some(other))).next();
            let missing = || items.get(others.len()).map(|item| item.place);
            let too_many = || (others.len() > items.len()).then_some(expected.place);
            inside.or_else(missing).or_else(too_many)
        }
        (PlainKind::Leaf(one), PlainKind::Leaf(other)) if same(one, other) => None,
        (PlainKind::Leaf(Value::String(text)), PlainKind::Moment(time))
            if Timestamp::from_rfc3339(text) == Some(*time) =>
        {
            None
        }
        _ => here,
    }
}

fn is_null(value: &Plain) -> bool {
    matches!(value.kind, PlainKind::Leaf(Value::Null))
}

/// The same number may be written with and without a fraction.
fn same(one: &Value, other: &Value) -> bool {
    let number = |value: &Value| value.as_number().filter(|it| it.is_f64()).and(value.as_f64());
    match (number(one), number(other)) {
        (None, None) => one == other,
        _ => one.as_f64().is_some() && one.as_f64() == other.as_f64(),
    }
}

/// What was found without what nobody asked about, in the order of what was expected.
pub(super) fn projected(expected: &Plain, found: &Plain) -> Plain {
    match (&expected.kind, &found.kind) {
        (PlainKind::Map(entries), PlainKind::Map(_)) => {
            let asked = entries.iter().filter_map(|(key, value)| {
                found.get(key).map(|found| (key.clone(), projected(value, found)))
            });
            Plain::found(PlainKind::Map(asked.collect()))
        }
        (PlainKind::List(items), PlainKind::List(others)) => {
            let mut free: Vec<&Plain> = items.iter().collect();
            let shown = others.iter().map(|other| match counterpart(&mut free, other) {
                Some(item) => projected(item, other),
                None => other.clone(),
            });
            Plain::found(PlainKind::List(shown.collect()))
        }
        // As it is written, so that it is no difference.
        _ if difference(expected, Some(found)).is_none() => expected.clone(),
        _ => found.clone(),
    }
}

/// The item of a list that another one was meant to be: the same, else one that begins the same.
fn counterpart<'a>(free: &mut Vec<&'a Plain>, found: &Plain) -> Option<&'a Plain> {
    let same = free.iter().position(|item| difference(item, Some(found)).is_none());
    let alike = || free.iter().position(|item| begins_alike(item, found));
    let at = same.or_else(alike)?;
    Some(free.remove(at))
}

fn begins_alike(expected: &Plain, found: &Plain) -> bool {
    let Some((key, value)) = expected.entries().first() else { return false };
    found.get(key).is_some_and(|found| difference(value, Some(found)).is_none())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn differs(expected: Value, found: Value) -> bool {
        difference(&expected.into(), Some(&found.into())).is_some()
    }

    #[test]
    fn only_what_is_named_counts_and_lists_are_complete() {
        for (expected, found) in [
            (json!({"a": 1}), json!({"a": 1, "b": 2})),
            (json!({"a": null}), json!({"b": 2})),
            (json!([{"a": 1}, {}]), json!([{"a": 1, "b": 2}, {"c": 3}])),
            (json!(1), json!(1.0)),
        ] {
            assert!(!differs(expected.clone(), found.clone()), "{expected} {found}");
        }
        for (expected, found) in [
            (json!({"a": 1}), json!({"a": 2})),
            (json!({"a": 1}), json!({})),
            (json!({"a": 1}), json!([])),
            (json!([1]), json!([1, 2])),
            (json!([1, 2]), json!([2, 1])),
            (json!([]), json!([{}])),
            (json!("1"), json!(1)),
            (json!(true), json!(1.0)),
        ] {
            assert!(differs(expected.clone(), found.clone()), "{expected} {found}");
        }
    }

    #[test]
    fn a_time_may_be_written_in_several_ways() {
        let found = Plain::found(PlainKind::Moment(Timestamp::EPOCH));
        let expected = |text: &str| Plain::leaf(text);
        assert_eq!(difference(&expected("1970-01-01T01:00:00+01:00"), Some(&found)), None);
        assert!(difference(&expected("1970-01-01T01:00:00Z"), Some(&found)).is_some());
    }

    #[test]
    fn what_nobody_asked_about_is_not_shown_but_what_is_too_much_is() {
        let expected = json!([{"delete": "B", "set": {"X": 1}}]).into();
        let found = json!([
            {"delete": "A", "set": {"Y": 1}},
            {"delete": "B", "set": {"X": 2, "Y": 1}},
        ]);
        let shown = projected(&expected, &found.into()).to_json();
        let wanted = json!([{"delete": "A", "set": {"Y": 1}}, {"delete": "B", "set": {"X": 2}}]);
        assert_eq!(shown, wanted);
    }
}
