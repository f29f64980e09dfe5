//! No text makes reading panic, hang or take all memory.

use std::time::{Duration, Instant};

use dipmo_config::{Colour, References};

use crate::environment::Fixed;
use crate::valid;

/// Reads a text and renders what is said about it. It is the panic, or the time, that fails a test.
fn survive(text: &str) {
    let began = Instant::now();
    for references in [References::Resolve(&Fixed), References::Keep] {
        match valid::load(text, references) {
            Ok(loaded) => {
                let problems = loaded.check().problems;
                let said = problems.render(&loaded.files, Colour::Always);
                assert_eq!(said.is_empty(), problems.is_empty());
            }
            Err(rejected) => {
                assert!(!rejected.problems.is_empty(), "rejected without a reason: {text:?}");
                let said = rejected.problems.render(&rejected.files, Colour::Always);
                assert!(!said.is_empty());
                assert!(rejected.problems.to_json(&rejected.files).is_array());
            }
        }
    }
    // Far above what any takes on a busy machine, and far below what a quadratic one would.
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?} for {} bytes",
        began.elapsed(),
        text.len()
    );
}

const EXAMPLES: [&str; 3] = [
    include_str!("../../../../examples/hits/dipmo.yaml"),
    include_str!("../../../../examples/onboarding/dipmo.yaml"),
    include_str!("../../../../examples/members/dipmo.yaml"),
];

const BITS: [&str; 24] = [
    ":", "-", "  ", "\n", "{", "}", "[", "]", "\"", "'", "&a ", "*a", "|", ">", "#", "? ", "!x ",
    "<<: ", "=", "${env:", "é", "\t", "\u{0}", "---\n",
];

#[test]
fn files_that_were_changed_at_random_are_survived() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut texts = valid::texts();
    texts.extend(EXAMPLES.map(|text| ("an example".to_owned(), text.to_owned())));
    for _ in 0..3_000 {
        let (_, text) = &texts[random.usize(..texts.len())];
        let mut chars: Vec<char> = text.chars().collect();
        for _ in 0..random.usize(1..6) {
            let at = random.usize(..chars.len());
            let end = (at + random.usize(1..40)).min(chars.len());
            match random.u8(..4) {
                0 => drop(chars.drain(at..end)),
                1 => drop(chars.splice(at..at, BITS[random.usize(..BITS.len())].chars())),
                2 => chars.truncate(at.max(1)),
                _ => {
                    let part: Vec<char> = chars[at..end].to_vec();
                    let to = random.usize(..chars.len());
                    chars.splice(to..to, part);
                }
            }
            if chars.is_empty() {
                break;
            }
        }
        survive(&chars.into_iter().collect::<String>());
    }
}

#[test]
fn what_is_made_to_take_all_memory_is_refused() {
    let laughs: String = ('b'..='z')
        .map(|name| {
            let before = char::from(name as u8 - 1);
            format!("{name}: &{name} [{}]\n", vec![format!("*{before}"); 10].join(", "))
        })
        .collect();
    survive(&format!("a: &a [lol]\n{laughs}"));
    let long = "x".repeat(1 << 20);
    survive(&format!("a: &a {long}\nb: [{}]\n", vec!["*a"; 1_000].join(", ")));
    let nested: String = (0..60).map(|level| format!("&a{level} [")).collect();
    survive(&format!("{nested}{}{}", "1, ".repeat(100_000), "]".repeat(60)));
}

#[test]
fn what_is_large_or_deep_is_refused_soon() {
    for bit in [
        "[", "{", "{a: ", "- ", "? ", "a: b\n", "&a ", "\"", "'", "| ", "%", "!", "a: {b: [", "\n",
        " ", "\t", "${", "é", ",", "-\n", "*a ",
    ] {
        survive(&bit.repeat((1 << 20) / bit.len()));
    }
    survive(&"x".repeat((4 << 20) + 1));
    let keys: String = (0..100_000).map(|key| format!("key{key}: 1\n")).collect();
    survive(&keys);
    survive(&format!("[{}]", "a, ".repeat(190_000)));
    survive(&format!(
        "dipmo: 1\nstore: {{{}}}",
        (0..90_000).map(|key| format!("k{key}: 1, ")).collect::<String>()
    ));
}

#[test]
fn an_alias_inside_of_what_it_repeats_is_refused() {
    survive("a: &a [*a]\n");
    survive("a: &a {b: *a}\n");
    survive("*a\n");
}
