use crate::{Program, Scope, Type};

fn scope() -> Scope {
    let assessment = Type::object("assessment", [("positive", Type::Bool)]);
    let event = Type::object(
        "event",
        [
            ("customerId", Type::optional(Type::String)),
            ("count", Type::Int),
            ("amount", Type::Double),
            ("at", Type::Timestamp),
            ("tags", Type::list(Type::String)),
            ("assessment", Type::optional(assessment)),
            ("extra", Type::Dyn),
        ],
    );
    Scope::new()
        .with("event", event)
        .with("state", Type::String)
        .with("now", Type::Timestamp)
        .with("headers", Type::map(Type::String))
}

/// The flaws, each as the text it is about, what is said of it, and the hint.
fn flaws(source: &str, wanted: &Type) -> Vec<String> {
    let flaws = Program::compile(source, &scope(), wanted).expect_err(source);
    flaws.iter().map(|flaw| format!("{}: {flaw}", &source[flaw.span.clone()])).collect()
}

#[track_caller]
fn flaw(source: &str, expected: &str) {
    assert_eq!(flaws(source, &Type::Dyn), [expected], "{source}");
}

#[track_caller]
fn gives(source: &str, ty: &Type) {
    if let Err(flaws) = Program::compile(source, &scope(), ty) {
        panic!("{source}: {flaws:?}");
    }
    let other = if *ty == Type::Bool { Type::Int } else { Type::Bool };
    assert!(Program::compile(source, &scope(), &other).is_err(), "{source} is not {other}");
}

#[test]
fn types_follow_from_operators() {
    gives("event.count + 1", &Type::Int);
    gives("event.amount * 2.0 - 1.0", &Type::Double);
    gives("state + '!' ", &Type::String);
    gives("now + duration('1h')", &Type::Timestamp);
    gives("now - event.at", &Type::Duration);
    gives("event.count < event.amount", &Type::Bool);
    gives("state in event.tags", &Type::Bool);
    gives("'a' in headers", &Type::Bool);
    gives("[1, 2] + [3]", &Type::list(Type::Int));
    gives("event.customerId == null ? 'none' : event.customerId", &Type::String);
    gives("event.tags.filter(t, t != 'x').map(t, size(t))", &Type::list(Type::Int));
    gives("event.tags.exists(t, t.startsWith('x'))", &Type::Bool);
    gives("{'a': 1}", &Type::map(Type::Int));
    gives("{'a': 1}.a", &Type::Int);
    gives("event.tags[0]", &Type::String);
    gives("headers['content-type']", &Type::String);
    gives("event['count']", &Type::Int);
    gives("-event.count", &Type::Int);
    gives("now.getFullYear()", &Type::Int);
    gives("event.extra + 1", &Type::Int);
}

#[test]
fn what_is_not_known_is_not_checked() {
    for (source, types) in [
        ("event.extra", &[Type::String, Type::Bool][..]),
        ("event.extra.a.b[0]", &[Type::String, Type::Bool]),
        ("dyn([1])[0]", &[Type::String, Type::Bool]),
        ("event.extra.a + 'x'", &[Type::String]),
        ("event.extra.size() > 1", &[Type::Bool]),
        ("dyn(1) == 'a'", &[Type::Bool]),
    ] {
        for wanted in [Type::String, Type::Bool] {
            let fits = Program::compile(source, &scope(), &wanted).is_ok();
            assert_eq!(fits, types.contains(&wanted), "{source} as {wanted}");
        }
    }
}

#[test]
fn an_unknown_name_has_a_hint() {
    flaw("evnt.count", "evnt: there is no variable `evnt`; did you mean `event`?");
    flaw(
        "event.custmerId",
        "custmerId: `event` has no field `custmerId`; did you mean `customerId`?",
    );
    flaw(
        "event.assessment.postive",
        "postive: `assessment` has no field `postive`; did you mean `positive`?",
    );
    flaw(
        "has(event.custmerId)",
        "custmerId: `event` has no field `custmerId`; did you mean `customerId`?",
    );
    flaw("event['cuont']", "'cuont': `event` has no field `cuont`; did you mean `count`?");
    flaw(
        "state.startWith('a')",
        "startWith: there is no function `startWith`; did you mean `startsWith`?",
    );
    flaw(
        "event.tags.exits(t, t == '')",
        "exits: there is no function `exits`; did you mean `exists`?",
    );
    flaw("event.tags.map(tag, tga)", "tga: there is no variable `tga`; did you mean `tag`?");
    flaw("unheardOf", "unheardOf: there is no variable `unheardOf`");
}

#[test]
fn operators_say_what_they_do_not_take() {
    flaw(
        "state + 1",
        "state + 1: `+` does not take a string and an int; `string(…)` makes text of a number",
    );
    flaw(
        "event.amount * 2",
        "event.amount * 2: `*` does not take a double and an int; `double(…)` makes a double of an int",
    );
    flaw("state == 1", "state == 1: `==` does not take a string and an int");
    flaw(
        "event.at < '2024'",
        "event.at < '2024': `<` does not take a timestamp and a string; `timestamp(…)` makes a time of text",
    );
    flaw("null < 1", "null < 1: `<` does not take null and an int");
    flaw(
        "'a' in state",
        "'a' in state: `in` does not take a string and a string; `text.contains(part)` looks into text",
    );
    flaw("1 in event.tags", "1 in event.tags: `in` does not take an int and a list(string)");
    flaw("-state", "-state: `-` does not take a string");
    flaw("!event.count", "event.count: this is an int, and a bool is wanted here");
    flaw("state || true", "state: this is a string, and a bool is wanted here");
    flaw("state ? 1 : 2", "state: this is a string, and a bool is wanted here");
    flaw("event.extra.x - true", "event.extra.x - true: `-` does not take any value and a bool");
}

#[test]
fn calls_say_how_they_are_written() {
    flaw(
        "startsWith(state, 'a')",
        "startsWith: `startsWith` is not called like this; it is written `string.startsWith(string)`",
    );
    flaw("state.int()", "int: `int` is not called like this; it is written `int(int)`");
    flaw(
        "state.contains()",
        "contains: `contains` does not take this number of arguments; it is written `string.contains(string)`",
    );
    flaw(
        "state.contains(1)",
        "contains: `contains` does not take (string, int); it is written `string.contains(string)`",
    );
    flaw("size(1)", "size: `size` does not take (int); it is written `size(string)`");
    flaw("string([1])", "string: `string` does not take (list(int)); it is written `string(any)`");
    flaw(
        "event.tags.all(t)",
        "all: `all` wants a name and an expression; it is written `list.all(x, …)`",
    );
    flaw("event.tags.all(1, true)", "1: a name for the element is wanted here");
    flaw(
        "event.count.all(x, true)",
        "event.count: this is an int, and a list or a map is wanted here",
    );
    flaw(
        "has(state)",
        "state: `has` wants a field; it is written `has(event.field)`; `\"key\" in map` asks for a key",
    );
}

#[test]
fn what_is_written_out_and_always_fails_is_a_flaw() {
    flaw(
        "timestamp('yesterday')",
        "timestamp('yesterday'): this text is no time such as 2024-05-01T12:00:00Z",
    );
    flaw(
        "now + duration('5 minutes')",
        "duration('5 minutes'): this text is no duration such as 30s, 5m or 1h30m",
    );
    flaw("int('x')", "int('x'): this text is no int");
    flaw("state.matches('(')", "'(': this is no regular expression: unclosed group");
    flaw("{'a': 1, 'a': 2}", "'a': this key is there twice");
    flaw("{1: 1}", "1: this is an int, and a string is wanted here; `string(…)` makes one of it");
}

#[test]
fn the_type_that_is_wanted_is_wanted_of_every_branch() {
    let said = |source, wanted| flaws(source, &wanted);
    assert_eq!(said("state", Type::Bool), ["state: this is a string, and a bool is wanted here"]);
    assert_eq!(
        said("state == 'A' ? state : event.count", Type::String),
        ["event.count: this is an int, and a string is wanted here; `string(…)` makes one of it"]
    );
    assert_eq!(
        said("['a', 1, state, now]", Type::list(Type::String)),
        [
            "1: this is an int, and a string is wanted here; `string(…)` makes one of it",
            "now: this is a timestamp, and a string is wanted here; `string(…)` makes one of it"
        ]
    );
    let wanted = Type::object("line", [("id", Type::String), ("count", Type::optional(Type::Int))]);
    assert_eq!(
        said("{'id': 1, 'cuont': 2}", wanted.clone()),
        [
            "1: this is an int, and a string is wanted here; `string(…)` makes one of it",
            "'cuont': `line` has no field `cuont`; did you mean `count`?"
        ]
    );
    assert_eq!(said("{}", wanted), ["{}: `id` is not there, and a string is wanted"]);
}

#[test]
fn all_flaws_are_said_at_once_in_their_order() {
    assert_eq!(flaws("evnt.a && state == 1 || event.nope.x > now + 1", &Type::Bool).len(), 4);
}

#[test]
fn what_may_be_null_can_be_used_as_what_it_is_else() {
    for source in [
        "event.customerId.size()",
        "event.customerId + 'x'",
        "event.customerId < 'b'",
        "event.assessment.positive",
    ] {
        assert!(Program::compile(source, &scope(), &Type::Dyn).is_ok(), "{source}");
    }
    assert!(Program::compile("event.customerId", &scope(), &Type::optional(Type::String)).is_ok());
    assert!(Program::compile("null", &scope(), &Type::optional(Type::String)).is_ok());
    assert_eq!(flaws("null", &Type::String), ["null: this is null, and a string is wanted here"]);
}

#[test]
fn a_program_knows_what_it_reads() {
    let paths =
        |source: &str, slot| Program::compile(source, &scope(), &Type::Dyn).unwrap().paths(slot);
    let names =
        |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
    let source = "event.count > 1 && has(event.assessment.positive) && has(event.extra) || event['at'] < now";
    assert_eq!(paths(source, 0), names(&["count", "assessment", "extra", "at"]));
    assert_eq!(paths(source, 1), names(&[]));
    assert_eq!(paths(source, 2), None, "now is read as a whole");
    assert_eq!(paths("event.count > 1 && event != null", 0), None);
    assert_eq!(paths("event.map(k, k)", 0), None);
    assert_eq!(
        paths("event.tags.map(event, event)", 0),
        names(&["tags"]),
        "the name is the macro's inside"
    );
    let program = Program::compile(source, &scope(), &Type::Bool).unwrap();
    assert!(program.uses(0) && !program.uses(1) && program.uses(2) && !program.uses(9));
    assert_eq!(program.source(), source);
}

#[test]
fn a_program_knows_what_it_gives() {
    let result = |source: &str, wanted: Type| {
        Program::compile(source, &scope(), &wanted).unwrap().result().clone()
    };
    assert_eq!(result("event.tags", Type::list(Type::Dyn)), Type::list(Type::String));
    assert_eq!(result("event.customerId", Type::String), Type::optional(Type::String));
    assert_eq!(result("event.extra", Type::String), Type::Dyn, "what was wanted is no knowledge");
}
