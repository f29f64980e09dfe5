//! Whatever is written: it is refused, or it ends within its fuel. Nothing panics.

use dipmo_cel::{Fuel, Program, Scope, Type, Value};
use fastrand::Rng;

/// Good expressions to begin with, of every kind.
const EXPRESSIONS: &str = include_str!("differential/expressions.txt");

/// What is put in: signs that open, close and join, and the ends of ranges.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
    ":",
    "?",
    "&&",
    "||",
    "!",
    "-",
    "+",
    "*",
    "/",
    "%",
    "==",
    "<",
    " in ",
    "'",
    "\"",
    "'''",
    "\\",
    "\\u",
    "b'",
    "r'",
    "//",
    "\n",
    "null",
    "true",
    "x",
    "any",
    "event",
    "9223372036854775807",
    "1u",
    "1e308",
    "0x",
    ".map(x, ",
    ".all(x, ",
    ".size()",
    "has(",
    "dyn(",
    "string(",
    "timestamp(",
    "duration(",
    "ż",
    "\u{0}",
];

fn scope() -> Scope {
    let event =
        Type::object("event", [("name", Type::String), ("gone", Type::optional(Type::Int))]);
    Scope::new()
        .with("event", event)
        .with("any", Type::Dyn)
        .with("i", Type::Int)
        .with("s", Type::String)
}

fn values() -> Vec<Value> {
    let list =
        Value::list([1.into(), "a".into(), Value::Null, Value::map([("x", Value::list([]))])]);
    let any = Value::map([("n", (-1).into()), ("l", list), ("t", "żółw".into())]);
    vec![Value::map([("name", "Ada".into())]), any, i64::MIN.into(), "text".into()]
}

/// A few cuts, doublings and pieces at random places.
fn mutated(source: &str, other: &str, rng: &mut Rng) -> String {
    let mut characters: Vec<char> = source.chars().collect();
    for _ in 0..rng.usize(1..5) {
        let from = rng.usize(..=characters.len());
        let to = rng.usize(from..=characters.len());
        match rng.u8(..5) {
            0 => drop(characters.drain(from..to)),
            1 => {
                let twice: Vec<char> = characters[from..to].to_vec();
                characters.splice(from..from, twice);
            }
            2 => drop(characters.splice(from..from, other.chars())),
            _ => {
                let piece = PIECES[rng.usize(..PIECES.len())];
                characters.splice(from..from, piece.chars());
            }
        }
    }
    characters.into_iter().collect()
}

/// Compiles and runs a source if it can be, and checks that what is said of it points into it.
fn survive(source: &str, scope: &Scope, values: &[Value]) -> bool {
    match Program::compile(source, scope, &Type::Dyn) {
        Err(flaws) => {
            assert!(!flaws.is_empty(), "{source:?} was refused without a reason");
            for flaw in flaws {
                assert!(source.get(flaw.span.clone()).is_some(), "{source:?}: {flaw:?}");
            }
            false
        }
        Ok(program) => {
            let mut fuel = Fuel::new(10_000);
            if let Err(failure) = program.run(values, &mut fuel) {
                assert!(source.get(failure.span.clone()).is_some(), "{source:?}: {failure:?}");
                assert!(
                    !fuel.is_exhausted() || failure.message == "too much work",
                    "{source:?}: {failure:?}"
                );
            }
            true
        }
    }
}

#[test]
fn no_mutation_of_an_expression_panics_or_runs_on() {
    let (scope, values) = (scope(), values());
    let sources: Vec<&str> = EXPRESSIONS.lines().filter(|line| !line.starts_with('#')).collect();
    let mut rng = Rng::with_seed(8);
    let mut ran = 0;
    for _ in 0..6_000 {
        let source = sources[rng.usize(..sources.len())];
        let other = sources[rng.usize(..sources.len())];
        ran += usize::from(survive(&mutated(source, other, &mut rng), &scope, &values));
    }
    assert!(ran > 300, "{ran} of them ran, which proves little");
}

#[test]
fn no_soup_of_signs_panics() {
    let (scope, values) = (scope(), values());
    let mut rng = Rng::with_seed(9);
    for _ in 0..3_000 {
        let length = rng.usize(..60);
        let source: String = (0..length).map(|_| PIECES[rng.usize(..PIECES.len())]).collect();
        survive(&source, &scope, &values);
    }
}

#[test]
fn the_deepest_that_is_allowed_fits_the_stack_of_a_worker() {
    // Two megabytes, which is what threads of a runtime have.
    let deepest = || {
        let (scope, values) = (scope(), values());
        for source in [
            "(".repeat(63) + "1" + &")".repeat(63),
            "[".repeat(63) + &"]".repeat(63),
            "1".to_owned() + &"+1".repeat(158),
            "!".repeat(158) + "true",
            "any".to_owned() + &".n".repeat(158),
            "[1].map(x, ".repeat(60) + "x" + &")".repeat(60),
            "true ? 1 : ".repeat(60) + "1",
            "dyn(".repeat(60) + "1" + &" + 1)".repeat(60),
        ] {
            assert!(survive(&source, &scope, &values), "{source}");
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(deepest).unwrap().join().unwrap();
}
