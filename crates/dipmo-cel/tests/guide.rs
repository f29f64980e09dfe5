//! What the guide shows is what happens.

use dipmo_cel::{Fuel, Program, Scope, Type};

const GUIDE: &str = include_str!("../../../docs/guide/expressions.md");

/// Every "`expression` → `value`" of the guide.
fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    GUIDE.split("` → `").zip(GUIDE.split("` → `").skip(1)).filter_map(|(before, after)| {
        let expression = before.rsplit('`').next()?;
        let value = after.split('`').next()?;
        Some((expression, value))
    })
}

#[test]
fn every_example_of_the_guide_gives_what_it_says() {
    assert!(examples().count() > 25, "there are {} examples", examples().count());
    for (source, expected) in examples() {
        let program = Program::compile(source, &Scope::new(), &Type::Dyn).expect(source);
        let value = program.run(&[], &mut Fuel::default()).expect(source);
        assert_eq!(serde_json::to_string(&value).unwrap(), expected, "{source}");
    }
}
