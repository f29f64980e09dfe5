//! Two lists of things that should be the same.

use std::collections::HashMap;

use super::Kind;

/// What is wrong with a list; empty when it is as expected.
pub(super) fn compare(expected: &[String], got: &[String]) -> Vec<(Kind, String)> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for thing in expected {
        *left.entry(thing).or_default() += 1;
    }
    let mut wrong = Vec::new();
    let mut kept = Vec::new();
    for thing in got {
        match left.get_mut(thing.as_str()) {
            Some(0) => wrong.push((Kind::Doubled, thing.clone())),
            Some(count) => {
                *count -= 1;
                kept.push(thing);
            }
            None => wrong.push((Kind::Unexpected, thing.clone())),
        }
    }
    // What is missing is taken from the end, where several are the same.
    let mut there: Vec<&String> = Vec::new();
    for thing in expected.iter().rev() {
        match left.get_mut(thing.as_str()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                wrong.push((Kind::Lost, thing.clone()));
            }
            _ => there.push(thing),
        }
    }
    there.reverse();
    if let Some((first, _)) = kept.iter().zip(&there).find(|(a, b)| a != b) {
        wrong.push((Kind::Reordered, (*first).clone()));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(expected: &str, got: &str) -> Vec<Kind> {
        let list = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let mut kinds: Vec<Kind> =
            compare(&list(expected), &list(got)).into_iter().map(|(kind, _)| kind).collect();
        kinds.sort_unstable();
        kinds
    }

    #[test]
    fn what_is_the_same_is_right() {
        assert_eq!(kinds("", ""), []);
        assert_eq!(kinds("abca", "abca"), []);
    }

    #[test]
    fn each_wrong_is_told_from_the_others() {
        assert_eq!(kinds("abc", "ac"), [Kind::Lost]);
        assert_eq!(kinds("abc", "abbc"), [Kind::Doubled]);
        assert_eq!(kinds("abc", "abca"), [Kind::Doubled]);
        assert_eq!(kinds("abc", "acb"), [Kind::Reordered]);
        assert_eq!(kinds("abc", "abxc"), [Kind::Unexpected]);
        assert_eq!(kinds("abc", "cbb"), [Kind::Lost, Kind::Doubled, Kind::Reordered]);
    }
}
