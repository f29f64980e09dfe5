//! Formulas as tables: what they give, and what is said about those that cannot be read.

use proptest::prelude::*;

use super::{Formula, Subject};
use crate::value::Value;

/// `Name` is "Ada", `Was__c` was "old", and fields that do not end in `#` are texts.
struct Ada {
    new: bool,
}

impl Subject for Ada {
    fn value(&self, field: &str) -> Value {
        match field.to_ascii_lowercase().as_str() {
            "name" => Value::Text("Ada".into()),
            "was__c" => Value::Text("new".into()),
            "account.name" => Value::Text("Acme".into()),
            "tags__c" => Value::Text("red;green".into()),
            "active__c" => Value::Bool(true),
            "count__c" => Value::Number(3.0),
            "born__c" => Value::Text("1815-12-10".into()),
            "nothing__c" | "nodate__c" => Value::Null,
            _ => Value::Text("".into()),
        }
    }

    fn prior(&self, field: &str) -> Option<Value> {
        let value = match field {
            "Was__c" => Value::Text("old".into()),
            _ => self.value(field),
        };
        (!self.new).then_some(value)
    }

    fn is_new(&self) -> bool {
        self.new
    }

    fn now(&self) -> jiff::Timestamp {
        "2026-03-01T10:20:30Z".parse().unwrap()
    }
}

fn give(formula: &str) -> Value {
    let formula = Formula::parse(formula).unwrap_or_else(|error| panic!("{formula}: {error}"));
    formula.evaluate(&Ada { new: false })
}

#[test]
fn what_is_true_and_what_is_false() {
    for (formula, expected) in [
        ("TRUE", true),
        ("1 + 2 * 3 = 7", true),
        ("(1 + 2) * 3 = 9", true),
        ("2 ^ 3 ^ 2 = 64", true),
        ("-2 + 5 == 3", true),
        ("10 - 2 - 3 = 5", true),
        ("1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3 && 1 <> 2 && 1 != 2", true),
        ("TRUE || FALSE && FALSE", true),
        ("!(1 = 2)", true),
        ("NOT(Active__c)", false),
        ("AND(TRUE, TRUE, FALSE)", false),
        ("OR(FALSE, FALSE, TRUE)", true),
        ("name = \"Ada\"", true),
        ("Name = \"ada\"", false),
        ("Name & \" \" & Account.Name = 'Ada Acme'", true),
        ("\"a\\\"b\\\\\" = 'a\"b\\\\'", true),
        ("/* why */ ISBLANK(Empty__c)", true),
        ("ISBLANK(Nothing__c)", true),
        ("ISBLANK(Count__c)", false),
        ("ISNULL(Nothing__c)", true),
        ("ISNULL(Empty__c)", false),
        ("ISPICKVAL(Name, \"Ada\")", true),
        ("ISPICKVAL(Empty__c, \"\")", true),
        ("INCLUDES(Tags__c, \"green\")", true),
        ("INCLUDES(Tags__c, \"gree\")", false),
        ("LEN(Name) = 3", true),
        ("CONTAINS(Name, \"da\")", true),
        ("BEGINS(Name, \"da\")", false),
        ("UPPER(LEFT(Name, 2)) & LOWER(RIGHT(Name, 1)) = \"ADa\"", true),
        ("MID(Name, 2, 1) = \"d\"", true),
        ("TRIM(\"  x \") = \"x\"", true),
        ("VALUE(\"12.5\") = 12.5", true),
        ("TEXT(3) = \"3\"", true),
        ("FIND(\"a\", Name) = 3", true),
        ("SUBSTITUTE(Name, \"A\", \"E\") = \"Eda\"", true),
        ("IF(Count__c > 2, \"many\", \"few\") = \"many\"", true),
        ("CASE(Count__c, 1, \"one\", 3, \"three\", \"?\") = \"three\"", true),
        ("CASE(Nothing__c, NULL, \"none\", \"?\") = \"none\"", true),
        ("MAX(1, 4, 2) = 4 && MIN(1, 4, 2) = 1 && ABS(-1) = 1 && MOD(7, 3) = 1", true),
        ("ROUND(1.256, 2) = 1.26", true),
        ("BLANKVALUE(Empty__c, \"x\") = \"x\" && NULLVALUE(Nothing__c, 1) = 1", true),
        ("ISCHANGED(Was__c)", true),
        ("ISCHANGED(Name)", false),
        ("PRIORVALUE(Was__c) = \"old\"", true),
        ("ISNEW()", false),
        ("TEXT(TODAY()) = \"2026-03-01\"", true),
        ("TODAY() - 1 = DATE(2026, 2, 28)", true),
        ("Born__c + 1 = DATE(1815, 12, 11)", true),
        ("DATE(2026, 3, 1) - DATE(2026, 2, 1) = 28", true),
        ("Born__c < TODAY()", true),
        ("DATEVALUE(NOW()) = TODAY()", true),
        ("NOW() + 0.5 > NOW()", true),
    ] {
        assert_eq!(give(formula), Value::Bool(expected), "{formula}");
    }
}

#[test]
fn nothing_has_no_answer_but_an_empty_text_has() {
    for (formula, expected) in [
        ("Nothing__c = 1", Value::Null),
        ("Nothing__c <> 1", Value::Null),
        ("Nothing__c > 1", Value::Null),
        ("Nothing__c + 1", Value::Null),
        ("NOT(Nothing__c > 1)", Value::Null),
        ("Nothing__c > 1 || TRUE", Value::Bool(true)),
        ("AND(Nothing__c > 1, TRUE)", Value::Bool(false)),
        ("IF(Nothing__c > 1, 1, 2)", Value::Number(2.0)),
        ("Empty__c = \"\"", Value::Bool(true)),
        ("Empty__c = NULL", Value::Bool(true)),
        ("Empty__c <> \"x\"", Value::Bool(true)),
        ("Empty__c & \"x\"", Value::Text("x".into())),
        ("CONTAINS(Empty__c, \"x\")", Value::Null),
        ("CONTAINS(Empty__c, \"\")", Value::Bool(true)),
        ("LEN(Empty__c)", Value::Number(0.0)),
        ("1 / 0", Value::Null),
        ("VALUE(\"abc\")", Value::Null),
        ("VALUE(\"inf\")", Value::Null),
        ("DATE(2026, 2, 30)", Value::Null),
        ("NoDate__c < TODAY()", Value::Null),
        ("TODAY() + 1000000000", Value::Null),
        ("LEFT(Name, -1)", Value::Text("".into())),
    ] {
        assert_eq!(give(formula), expected, "{formula}");
    }
}

#[test]
fn a_rule_fires_only_on_true() {
    let fires = |text| Formula::parse(text).unwrap().holds(&Ada { new: true });
    assert!(fires("ISNEW()"));
    assert!(!fires("ISCHANGED(Was__c)"), "a new record has not changed");
    assert!(fires("PRIORVALUE(Was__c) = \"new\""), "a new record's prior value is its value");
    assert!(!fires("Nothing__c = 1"));
    assert!(!fires("\"true\""));
}

#[test]
fn the_fields_are_known_before_a_record_comes() {
    let formula = Formula::parse("AND(ISBLANK(Email), Account.Name = Email, ISCHANGED(X__c))");
    assert_eq!(formula.unwrap().fields(), ["Email", "Account.Name", "X__c"]);
}

#[test]
fn a_formula_that_cannot_be_read_says_where_and_why() {
    for (formula, words) in [
        ("", "line 1, column 1: expected a field, a function, a text, a number or \"(\""),
        ("ISBLNK(Name)", "line 1, column 1: there is no function ISBLNK; did you mean ISBLANK?"),
        ("FOOBARBAZ(1)", "there is no function FOOBARBAZ"),
        ("REGEX(Name, \"a\")", "the simulator has no regular expressions"),
        (
            "AND(\n  TRUE,\n  FALSE",
            "line 3, column 8: expected \")\", found the end of the formula",
        ),
        ("Name = 'x", "line 1, column 8: the text that begins here has no closing '"),
        ("Name = \"\\q\"", "\\q stands for nothing in a text"),
        ("/* x", "the comment that begins here has no end"),
        ("Name Name", "column 6: expected an operator or the end of the formula, found Name"),
        ("Name = ", "column 8: expected a field"),
        ("1.2.3", "\"1.2.3\" is no number"),
        ("Name # 1", "column 6: no formula has '#' outside of a text"),
        ("LEFT(Name)", "LEFT takes 2 arguments and has 1"),
        ("AND()", "AND takes at least 1 arguments and has 0"),
        ("FIND(Name)", "FIND takes 2 to 3 arguments and has 1"),
        ("CASE(Name, 1, 2, 3, 4)", "CASE takes a value, then pairs"),
        ("ISCHANGED(\"x\")", "ISCHANGED takes the name of a field"),
        ("$User.Id = \"x\"", "global variables such as $User.Id are not known here"),
    ] {
        let said = Formula::parse(formula).unwrap_err().to_string();
        assert!(said.contains(words), "{formula}: {said}");
    }
}

#[test]
fn depth_and_length_have_an_end() {
    let deep = [
        format!("{}1{}", "(".repeat(2000), ")".repeat(2000)),
        "!".repeat(4000),
        "-".repeat(4000),
        vec!["1"; 2000].join("+"),
        "ABS(".repeat(1200),
        "1 = ".repeat(1200),
    ];
    for formula in deep {
        let said = Formula::parse(&formula).unwrap_err().to_string();
        assert!(said.contains("nested more than 100 levels deep"), "{said}");
    }
    assert!(Formula::parse(&" ".repeat(5001)).unwrap_err().to_string().contains("longer than"));
    let chain = vec!["TRUE"; 500].join(" || ");
    assert!(Formula::parse(&chain).is_ok(), "a long chain is not deep");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn no_text_ends_the_process(text in "\\PC{0,80}") {
        if let Ok(formula) = Formula::parse(&text) {
            formula.evaluate(&Ada { new: false });
        }
    }

    #[test]
    fn no_mixture_of_its_words_ends_the_process(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "AND(", "OR(", "NOT(", "IF(", "CASE(", "LEN(", "MID(", "FIND(", "LEFT(", "SUBSTITUTE(",
                "DATE(", "TODAY()", "NOW()", "VALUE(", "ROUND(", "(", ")", ")", ")", ",", ",", "=", "<>",
                "<", "+", "-", "*", "/", "^", "&", "&&", "||", "!", "Name", "Count__c", "Nothing__c",
                "Born__c", "1", "99999999999999999999", "\"x\"", "\"2026-01-01\"", "NULL", "TRUE",
            ]),
            0..30,
        )
    ) {
        if let Ok(formula) = Formula::parse(&words.join(" ")) {
            formula.evaluate(&Ada { new: true });
        }
    }
}
