//! Whatever a file of cases says, there is an answer.

use fastrand::Rng;

use crate::setting::{Setting, examples};

/// What a slip of the keyboard, or worse, makes of a text.
fn mutated(text: &str, rng: &mut Rng) -> String {
    const BITS: [&str; 12] =
        ["{", "}", "[", "]", ": ", "\n", "- ", "null", "-1", "same", "99999999999999999999", "é"];
    let mut text: Vec<char> = text.chars().collect();
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(..text.len());
        let end = (at + rng.usize(..12)).min(text.len());
        let bit = if rng.bool() { rng.choice(BITS).unwrap() } else { "" };
        text.splice(at..end, bit.chars());
    }
    text.into_iter().collect()
}

#[test]
fn every_mutated_file_is_run_or_refused() {
    let mut rng = Rng::with_seed(8);
    let (mut ran, mut refused) = (0, 0);
    for name in ["hits", "onboarding", "members", "orders"] {
        let text = std::fs::read_to_string(examples().join(name).join("cases.yaml")).unwrap();
        let mut setting = Setting::example(name);
        for _ in 0..150 {
            match setting.run(&mutated(&text, &mut rng)) {
                Ok(_) => ran += 1,
                Err(said) => {
                    assert!(!said.is_empty());
                    refused += 1;
                }
            }
        }
    }
    assert!(ran > 50 && refused > 50, "{ran} ran, {refused} were refused");
}
