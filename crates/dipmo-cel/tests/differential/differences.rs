//! Where we differ from the other implementation on purpose, and why.

/// An expression of the table whose value differs.
pub(crate) struct Difference {
    pub(crate) source: &'static str,
    /// Our value as JSON; `None` when we refuse it or fail.
    pub(crate) ours: Option<&'static str>,
    pub(crate) why: &'static str,
}

const TYPES: &str = "types are checked before it runs; `dyn(…)` says that they are not to be";
const NULL: &str = "a field that is null is as good as absent, so that one question is enough";
const KEYS: &str = "keys are strings, as in JSON";
const EXACT: &str =
    "numbers of different types are compared as numbers, not as doubles: so says CEL";
const NAN: &str =
    "what is not a number is neither less nor greater, which is no failure: so says CEL";
const SLIP: &str = "a comma with nothing before it is a slip of the pen";
const LEFT_OUT: &str = "left out: nothing here needs it";

pub(crate) const DIFFERENCES: &[Difference] = &[
    Difference { source: "[,]", ours: None, why: SLIP },
    Difference { source: "{,}", ours: None, why: SLIP },
    Difference { source: "0.0 / 0.0 < 1.0", ours: Some("false"), why: NAN },
    Difference { source: "0.0 / 0.0 >= 1.0", ours: Some("false"), why: NAN },
    Difference {
        source: "9007199254740993 == 9007199254740992.0",
        ours: Some("false"),
        why: EXACT,
    },
    Difference {
        source: "9223372036854775807 < 9223372036854775808.0",
        ours: Some("true"),
        why: EXACT,
    },
    Difference {
        source: "duration('3h2m1.5s').getMilliseconds()",
        ours: Some("500"),
        why: "CEL wants the milliseconds beside the seconds here, unlike with the larger units",
    },
    Difference {
        source: "duration('14d')",
        ours: Some(r#""1209600s""#),
        why: "`dipmo.yaml` writes days, and one way to write a duration is enough",
    },
    Difference { source: "has(any.none)", ours: Some("false"), why: NULL },
    Difference { source: "has(any.none.x)", ours: Some("false"), why: NULL },
    Difference { source: "{1: 'a'}", ours: None, why: KEYS },
    Difference { source: "{1: 'a'}[1]", ours: None, why: KEYS },
    Difference { source: "{true: 'a'}", ours: None, why: KEYS },
    Difference { source: "'a' == 1", ours: None, why: TYPES },
    Difference { source: "1 in ['a']", ours: None, why: TYPES },
    Difference { source: "[1, 2][0u]", ours: None, why: TYPES },
    Difference { source: "[1, 2][1.0]", ours: None, why: TYPES },
    Difference {
        source: "int('x') == 1 || true",
        ours: None,
        why: "text that is written out and cannot be converted is a mistake, reached or not",
    },
    Difference { source: ".i", ours: None, why: LEFT_OUT },
    Difference { source: "m.?a", ours: None, why: LEFT_OUT },
    Difference { source: "type(1)", ours: None, why: LEFT_OUT },
    Difference {
        source: "at.getHours('+01:00')",
        ours: None,
        why: "times are UTC: what a zone means on a day is data that changes, and decisions must not",
    },
];
