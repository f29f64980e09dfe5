use super::*;

/// The tree with a bracket around every operation.
fn shown(ast: &Ast) -> String {
    let all = |parts: &[Ast]| parts.iter().map(shown).collect::<Vec<_>>();
    match &ast.kind {
        Kind::Literal(value) => serde_json::to_string(value).unwrap(),
        Kind::Variable(name) => name.text.clone(),
        Kind::Select(of, name) => format!("{}.{}", shown(of), name.text),
        Kind::Index(parts) => format!("{}[{}]", shown(&parts[0]), shown(&parts[1])),
        Kind::Call(call) => {
            let of = call.of.as_ref().map_or(String::new(), |of| format!("{}.", shown(of)));
            format!("{of}{}({})", call.name.text, all(&call.arguments).join(","))
        }
        Kind::List(parts) => format!("[{}]", all(parts).join(",")),
        Kind::Map(entries) => {
            let entries: Vec<_> =
                entries.iter().map(|(k, v)| format!("{}:{}", shown(k), shown(v))).collect();
            format!("{{{}}}", entries.join(","))
        }
        Kind::Unary(Unary::Not, of) => format!("!{}", shown(of)),
        Kind::Unary(Unary::Negate, of) => format!("-{}", shown(of)),
        Kind::Binary(operator, parts) => {
            format!("({} {} {})", shown(&parts[0]), operator.sign(), shown(&parts[1]))
        }
        Kind::Logic(Logic::And, parts) => format!("({})", all(parts).join(" && ")),
        Kind::Logic(Logic::Or, parts) => format!("({})", all(parts).join(" || ")),
        Kind::Choice(parts) => {
            format!("({} ? {} : {})", shown(&parts[0]), shown(&parts[1]), shown(&parts[2]))
        }
    }
}

#[test]
fn operators_bind_as_cel_says() {
    for (source, tree) in [
        ("1 + 2 * 3 - 4", "((1 + (2 * 3)) - 4)"),
        ("a || b && c == d || e", "(a || (b && (c == d)) || e)"),
        ("a < b == c", "((a < b) == c)"),
        ("a in b && !c", "((a in b) && !c)"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a || b ? c || d : e", "((a || b) ? (c || d) : e)"),
        ("-a.b + --c", "(-a.b + --c)"),
        ("!!a[0].f(x, 1)[2]", "!!a[0].f(x,1)[2]"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("1-1", "(1 - 1)"),
        ("1 - -1", "(1 - -1)"),
        ("[1, 2,]", "[1,2]"),
        ("{'a': 1, 'b': [],}", "{\"a\":1,\"b\":[]}"),
        ("(a)", "a"),
        ("a.package", "a.package"),
    ] {
        assert_eq!(shown(&parse(source).unwrap()), tree, "{source}");
    }
}

#[test]
fn what_is_broken_is_said_with_its_place() {
    for (source, span, message) in [
        ("", 0..0, "the expression ends here, and a value is wanted"),
        ("a &&", 4..4, "the expression ends here, and a value is wanted"),
        ("a b", 2..3, "here is `b`, and the end is wanted"),
        ("(a", 2..2, "the expression ends here, and `)` is wanted"),
        ("a.1", 1..3, "here is a value, and the end is wanted"),
        ("f(a,)", 4..5, "here is `)`, and a value is wanted"),
        ("a ? b", 5..5, "the expression ends here, and `:` is wanted"),
        ("if", 0..2, "`if` is a reserved word of CEL and no name"),
        ("9223372036854775808", 0..19, "this number is too large"),
        ("a.in", 2..4, "here is `in`, and a name is wanted"),
    ] {
        let flaw = parse(source).unwrap_err();
        assert_eq!((flaw.span, flaw.message.as_str()), (span, message), "{source}");
    }
}

#[test]
fn no_nesting_and_no_chain_overflows_the_stack() {
    for source in [
        "(".repeat(8_000),
        "[".repeat(8_000),
        "{1:".repeat(2_000),
        "a[".repeat(4_000),
        "f(".repeat(4_000),
        "!".repeat(8_000) + "a",
        "-".repeat(8_000) + "a",
        "1+".repeat(4_000) + "1",
        "a".to_owned() + &".a".repeat(4_000),
        "a?b:".repeat(2_000) + "c",
    ] {
        let flaw = parse(&source).unwrap_err();
        assert!(
            flaw.message.contains("more than") || flaw.message.contains("deeper than"),
            "{}",
            flaw.message
        );
    }
    let fits = "(".repeat(60) + "a" + &")".repeat(60);
    assert!(parse(&fits).is_ok());
    assert!(parse(&("a || ".repeat(1_000) + "a")).is_ok(), "a chain of or is flat");
}

#[test]
fn what_is_too_long_is_refused() {
    assert!(parse(&" ".repeat(8 * 1024 + 1)).is_err());
    assert!(parse(&format!("[{}]", "1,".repeat(1_000))).is_ok());
    assert!(parse(&format!("[{}]", "1,".repeat(1_001))).is_err());
}
