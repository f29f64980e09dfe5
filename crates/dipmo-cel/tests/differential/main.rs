//! The same expressions in another implementation of CEL: both give the same value, or both fail.

mod differences;
mod generate;
mod oracle;

use fastrand::Rng;

use self::differences::{DIFFERENCES, Difference};
use self::generate::Generator;
use self::oracle::{Both, Worlds};

/// One expression a line; `#` begins a heading.
const EXPRESSIONS: &str = include_str!("expressions.txt");

fn expressions() -> impl Iterator<Item = &'static str> {
    EXPRESSIONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[test]
fn every_expression_of_the_table_gives_the_same() {
    let worlds = Worlds::new();
    let disagreed: Vec<String> = expressions()
        .filter(|source| !DIFFERENCES.iter().any(|known| known.source == *source))
        .filter_map(|source| worlds.run(source).disagreement(source))
        .collect();
    assert!(disagreed.is_empty(), "{} disagree:\n{}", disagreed.len(), disagreed.join("\n"));
}

#[test]
fn every_deliberate_difference_is_one_still() {
    let worlds = Worlds::new();
    for Difference { source, ours, why } in DIFFERENCES {
        assert!(expressions().any(|line| line == *source), "{source} is in the table");
        let both = worlds.run(source);
        assert!(both.disagreement(source).is_some(), "{source} is no difference any more: {why}");
        let value = both.ours.as_ref().map(|value| serde_json::to_string(value).unwrap()).ok();
        assert_eq!(value.as_deref(), *ours, "{source}: {why}");
    }
}

#[test]
fn expressions_that_are_well_typed_give_the_same() {
    let worlds = Worlds::new();
    let mut generator = Generator::new(Rng::with_seed(126), worlds.scope());
    let (mut values, mut failures) = (0, 0);
    for _ in 0..1_500 {
        let (source, ty) = generator.expression();
        let both: Both = worlds.run_as(&source, &ty);
        assert!(!both.flawed, "{source} should be {ty}: {:?}", both.ours);
        if let Some(disagreement) = both.disagreement(&source) {
            panic!("{disagreement}");
        }
        *(if both.ours.is_ok() { &mut values } else { &mut failures }) += 1;
    }
    assert!(values > 800 && failures > 50, "{values} values and {failures} failures prove little");
}
