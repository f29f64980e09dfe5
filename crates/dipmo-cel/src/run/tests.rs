use crate::{Fuel, Program, Scope, Type, Value};

fn scope() -> Scope {
    let inner =
        Type::object("inner", [("deep", Type::optional(Type::object("deep", [("x", Type::Int)])))]);
    let event = Type::object(
        "event",
        [
            ("name", Type::String),
            ("gone", Type::optional(Type::String)),
            ("inner", Type::optional(inner)),
            ("list", Type::list(Type::Int)),
        ],
    );
    let maybe = Type::map(Type::optional(Type::String));
    Scope::new().with("event", event).with("any", Type::Dyn).with("maybe", maybe)
}

fn run_on(source: &str, event: &str, any: &str) -> Result<Value, String> {
    let program = Program::compile(source, &scope(), &Type::Dyn)
        .unwrap_or_else(|flaws| panic!("{source}: {flaws:?}"));
    let variables = [event, any, "{}"].map(|json| serde_json::from_str(json).unwrap());
    program
        .run(&variables, &mut Fuel::default())
        .map_err(|failure| format!("{}: {failure}", &source[failure.span.clone()]))
}

fn run(source: &str) -> Result<Value, String> {
    run_on(
        source,
        r#"{"name":"Ada","list":[3,1,2]}"#,
        r#"{"n":1,"t":"text","none":null,"l":[1,"a",null]}"#,
    )
}

#[track_caller]
fn gives(source: &str, json: &str) {
    assert_eq!(
        run(source).map(|value| serde_json::to_string(&value).unwrap()),
        Ok(json.to_owned()),
        "{source}"
    );
}

#[track_caller]
fn fails(source: &str, expected: &str) {
    assert_eq!(run(source), Err(expected.to_owned()), "{source}");
}

#[test]
fn an_optional_field_that_is_absent_is_null() {
    gives("event.gone == null", "true");
    gives("has(event.gone)", "false");
    gives("maybe.x == null && maybe['x-y'] == null && maybe[event.name] == null", "true");
    gives("has(event.name)", "true");
    gives("has(any.none)", "false");
    gives("has(any.nothing)", "false");
    gives("event.inner == null || event.inner.deep.x > 1", "true");
    gives("has(event.inner.deep.x)", "false");
    fails("event.inner.deep", "event.inner.deep: `inner` is null, which has no field `deep`");
    fails("event.gone + 'x'", "event.gone + 'x': `gone` is null, which `+` does not take");
    fails("any.nothing", "any.nothing: `nothing` is not there");
    fails("any.nothing.x", "any.nothing: `nothing` is not there");
}

#[test]
fn a_side_that_decides_makes_the_failure_of_the_other_not_matter() {
    gives("any.nothing || true", "true");
    gives("true || any.nothing", "true");
    gives("any.nothing && false", "false");
    gives("any.n && false", "false");
    gives("[1, 0].exists(x, 1 / x == 1)", "true");
    gives("[0, 1].exists(x, 1 / x == 1)", "true");
    gives("[0, 1].all(x, 1 / x == 2)", "false");
    fails("any.nothing && true", "any.nothing: `nothing` is not there");
    fails("any.n || false", "any.n: `n` is an int, and a bool is wanted here");
    fails("[0, 1].all(x, 1 / x == 1)", "1 / x: this divides by zero");
    fails("[0, 1].exists_one(x, 1 / x == 1)", "1 / x: this divides by zero");
}

#[test]
fn numbers_do_not_change_in_silence() {
    for source in [
        "9223372036854775807 + 1",
        "-9223372036854775808 - 1",
        "9223372036854775807 * 2",
        "-(-9223372036854775808)",
        "-9223372036854775808 / -1",
        "-9223372036854775808 % -1",
        "0u - 1u",
        "18446744073709551615u + 1u",
    ] {
        assert!(run(source).unwrap_err().ends_with("the result is too large"), "{source}");
    }
    fails("1 / (event.list[1] - 1)", "1 / (event.list[1] - 1): this divides by zero");
    gives("7 / 2 * 2 + -7 % 3", "5");
    gives("1.0 / 0.0 > 1000.0", "true");
    gives("1 == 1u && 1.0 == 1 && 2u > 1.5", "true");
    gives("any.l[1] == 1", "false");
    fails("any.n + 1.0", "any.n + 1.0: `+` does not take (int, double)");
    fails("any.t < 1", "any.t < 1: `<` does not take (string, int)");
}

#[test]
fn macros_go_through_lists_and_keys() {
    gives("event.list.filter(x, x > 1).map(x, x * x)", "[9,4]");
    gives("event.list.map(x, x > 1, string(x))", r#"["3","2"]"#);
    gives("event.list.map(x, event.list.map(y, x * y))", "[[9,3,6],[3,1,2],[6,2,4]]");
    gives("event.list.map(x, [10].map(x, x)[0] + x)", "[13,11,12]");
    gives("any.map(k, k)", r#"["n","t","none","l"]"#);
    gives("{'a': 1, 'b': 2}.all(k, k < 'c')", "true");
    gives("event.list.exists_one(x, x == 1)", "true");
    gives("[].all(x, false) && ![].exists(x, true)", "true");
    fails("any.n.map(x, x)", "any.n: `n` is an int, and a list(any) is wanted here");
}

#[test]
fn text_is_counted_in_characters() {
    gives("'żółw'.size()", "4");
    gives("'żółw'.substring(1, 3)", r#""ół""#);
    gives("'żółw'.indexOf('w')", "3");
    gives("'żółw'.indexOf('', 2)", "2");
    gives("'aXbXc'.indexOf('X', 2)", "3");
    gives("'abc'.indexOf('z')", "-1");
    gives("'żółw'.charAt(3) + 'abc'.charAt(3)", r#""w""#);
    gives("'a,b,,c'.split(',')", r#"["a","b","","c"]"#);
    gives("'a,b,c'.split(',', 2) + 'x'.split(',', 0)", r#"["a","b,c"]"#);
    gives("'żó'.split('')", r#"["ż","ó"]"#);
    gives("['a', 'b'].join('-') + ['c', 'd'].join()", r#""a-bcd""#);
    gives("'aaa'.replace('a', 'b') + 'aaa'.replace('a', 'b', 1)", r#""bbbbaa""#);
    gives("' Ada '.trim().lowerAscii() + 'ß'.upperAscii()", r#""adaß""#);
    fails("event.name.substring(4)", "event.name.substring(4): there is no such place in the text");
    fails(
        "event.name.substring(2, 1)",
        "event.name.substring(2, 1): there is no such place in the text",
    );
    fails("event.name.charAt(-1)", "event.name.charAt(-1): there is no such place in the text");
    fails("any.l.join('')", "any.l.join(''): `join` does not take (list, string)");
}

#[test]
fn patterns_match_anywhere() {
    gives(
        "event.name.matches('^A.a$') && matches(event.name, 'd') && !event.name.matches('x')",
        "true",
    );
    gives("event.name.matches(any.t.replace('text', 'A.a'))", "true");
    fails(
        "event.name.matches(any.t + '(')",
        "event.name.matches(any.t + '('): this is no regular expression, or too large a one",
    );
    let long = format!("event.name.matches(any.t + '{}')", "x{1000}{1000}".repeat(2));
    assert!(run(&long).is_err());
}

#[test]
fn one_type_is_made_of_another() {
    gives(
        "[string(1), string(1u), string(1.5), string(true), string(b'a'), string(duration('90m'))]",
        r#"["1","1","1.5","true","a","5400s"]"#,
    );
    gives("string(timestamp('2024-02-29T12:00:00.5+01:00'))", r#""2024-02-29T11:00:00.5Z""#);
    gives(
        "[int('-7'), int(7u), int(-1.9), int(timestamp('1969-12-31T23:59:59.5Z'))]",
        "[-7,7,-1,-1]",
    );
    gives("[uint('7'), uint(7), uint(7.9)] == [7u, 7u, 7u]", "true");
    gives("[double('0.5'), double(1), double(1u)]", "[0.5,1.0,1.0]");
    gives("bool('true') && !bool('0')", "true");
    gives("bytes('é') == b'\\xc3\\xa9'", "true");
    gives("timestamp(1) == timestamp('1970-01-01T00:00:01Z')", "true");
    fails("int(any.t)", "int(any.t): this text is no int");
    fails(
        "int(1e19 * double(any.n))",
        "int(1e19 * double(any.n)): this number does not fit into an int",
    );
    fails("int(any.none)", "int(any.none): `none` is null, which `int` does not take");
}

#[test]
fn times_have_parts_in_utc() {
    let time = "timestamp('2024-02-29T13:14:15.678+01:00')";
    let parts = [
        "FullYear",
        "Month",
        "Date",
        "DayOfMonth",
        "DayOfWeek",
        "DayOfYear",
        "Hours",
        "Minutes",
        "Seconds",
        "Milliseconds",
    ];
    let parts: Vec<String> = parts.iter().map(|part| format!("{time}.get{part}()")).collect();
    gives(&format!("[{}]", parts.join(",")), "[2024,1,29,28,4,59,12,14,15,678]");
    gives(
        "[duration('3h2m1.5s')].map(d, [d.getHours(), d.getMinutes(), d.getSeconds(), d.getMilliseconds()])[0]",
        "[3,182,10921,500]",
    );
    gives(
        "timestamp('2024-01-31T00:00:00Z') + duration('24h') - timestamp('2024-01-31T00:00:00Z')",
        r#""86400s""#,
    );
    gives("duration('1h') > duration('59m') && timestamp(0) < timestamp(1)", "true");
    fails(
        "timestamp('9999-12-31T23:59:59Z') + duration('1s')",
        "timestamp('9999-12-31T23:59:59Z') + duration('1s'): the result is too large",
    );
}

#[test]
fn elements_and_keys_are_picked() {
    gives("event.list[0] + event.list[dyn(2u)]", "5");
    gives("any['n'] == any[['n'][0]]", "true");
    gives("[[1, 2], [3]][0][1]", "2");
    gives("{'a': {'b': [7]}}.a.b[0]", "7");
    gives(
        "'n' in any && !('x' in any) && 3 in event.list && !('a' in event.list.map(x, dyn(x)))",
        "true",
    );
    fails("event.list[3]", "event.list[3]: there is no such element");
    fails("event.list[-1]", "event.list[-1]: there is no such element");
    fails("any[event.name]", "any[event.name]: there is no such element");
    fails("any.n[0]", "any.n[0]: `[ ]` does not take (int, int)");
    fails("{event.name: 1, 'A' + 'da': 2}", "{event.name: 1, 'A' + 'da': 2}: a key is there twice");
}

#[test]
fn the_result_is_of_the_type_that_was_wanted() {
    let run = |source: &str, wanted: Type| {
        let program = Program::compile(source, &scope(), &wanted).unwrap();
        let event = Value::map([("name", Value::Null)]);
        program
            .run(&[event, Value::list([1.into()])], &mut Fuel::default())
            .map_err(|failure| failure.message)
    };
    assert_eq!(
        run("event.name", Type::String),
        Err("`name` is null, and a string is wanted here".to_owned())
    );
    assert_eq!(run("event.gone", Type::optional(Type::String)), Ok(Value::Null));
    assert_eq!(run("any", Type::list(Type::Int)), Ok(Value::list([1.into()])));
    assert_eq!(
        run("any", Type::list(Type::String)),
        Err("a part of this is an int, and a string is wanted here".to_owned())
    );
}

#[test]
fn a_failure_never_shows_a_value() {
    let secret = r#"{"s":"SECRET","l":["SECRET"]}"#;
    for source in [
        "int(any.s)",
        "any.s + 1",
        "any.s[0]",
        "any[any.s]",
        "any.s.x",
        "timestamp(any.s)",
        "any.l[1]",
        "any.s.matches(any.s + '(')",
        "any.s.substring(99)",
        "any.l.join(1)",
        "-any.s",
        "any.s && true",
        "{any.s: 1, any.l[0]: 2}",
        "duration(any.s)",
        "any.s < 1",
    ] {
        if let Err(flaws) = Program::compile(source, &scope(), &Type::Dyn) {
            assert!(flaws[0].message.contains("does not take"), "{source}: {flaws:?}");
            continue;
        }
        let failure = run_on(source, "{}", secret).expect_err(source);
        assert!(!failure.contains("SECRET"), "{failure}");
    }
}

#[test]
fn no_program_works_on_without_end() {
    let ten = "[1,2,3,4,5,6,7,8,9,0]";
    let mut nested = "'x'".to_owned();
    let mut doubled = "'xxxxxxxx'".to_owned();
    for depth in 0..12 {
        nested = format!("{ten}.map(x{depth}, {nested})");
        doubled = format!("[{doubled}].map(s, s + s + s + s + s + s + s + s)[0]");
    }
    let lists = (0..10).fold(ten.to_owned(), |list, _| {
        format!("[{list}].map(l, l + l + l + l + l + l + l + l)[0]")
    });
    let replaced = (0..6).fold("'aaaaaaaa'".to_owned(), |text, _| {
        format!("{text}.replace('', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' + string(any.n))")
    });
    let absorbed = format!(
        "{ten}.exists(a, {ten}.exists(b, {ten}.exists(c, {ten}.exists(d, {ten}.exists(e, {ten}.exists(f, any.x))))))"
    );
    let patterns =
        format!("{ten}.map(a, {ten}.map(b, any.t.matches(any.t + '\\\\w' + string(a))))");
    for source in [
        nested,
        doubled,
        lists,
        replaced,
        absorbed.clone(),
        format!("{absorbed} || true"),
        patterns,
    ] {
        let failure = run(&source).unwrap_err();
        assert!(failure.ends_with(": too much work"), "{source}: {failure}");
    }
}

#[test]
fn a_value_is_three_words() {
    assert_eq!(size_of::<Value>(), 3 * size_of::<usize>());
    assert_eq!(size_of::<super::Evaluated<'_>>(), 3 * size_of::<usize>());
}

#[test]
fn fuel_is_shared_by_those_who_are_given_it() {
    let program = Program::compile("event.list.all(x, x > 0)", &scope(), &Type::Bool).unwrap();
    let variables = [serde_json::from_str(r#"{"list":[1,2,3]}"#).unwrap(), Value::Null];
    let mut fuel = Fuel::new(20);
    assert!(program.run(&variables, &mut fuel).is_ok());
    assert!(fuel.left() < 10, "{} left", fuel.left());
    assert_eq!(program.run(&variables, &mut fuel).unwrap_err().message, "too much work");
}
