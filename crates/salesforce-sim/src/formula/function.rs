//! The functions that formulas may call here, by name and number of arguments.

use std::ops::RangeInclusive;

use crate::did_you_mean::nearest;

/// More arguments than this no formula has.
const MANY: usize = 1000;

macro_rules! functions {
    ($($function:ident = $name:literal, $arguments:expr;)*) => {
        /// A function that formulas may call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Function {
            $($function,)*
        }

        const FUNCTIONS: &[(Function, &str, RangeInclusive<usize>)] = &[
            $((Function::$function, $name, $arguments),)*
        ];
    };
}

functions! {
    Abs = "ABS", 1..=1;
    And = "AND", 1..=MANY;
    Begins = "BEGINS", 2..=2;
    BlankValue = "BLANKVALUE", 2..=2;
    Case = "CASE", 4..=MANY;
    Contains = "CONTAINS", 2..=2;
    Date = "DATE", 3..=3;
    DateValue = "DATEVALUE", 1..=1;
    Find = "FIND", 2..=3;
    If = "IF", 3..=3;
    Includes = "INCLUDES", 2..=2;
    IsBlank = "ISBLANK", 1..=1;
    IsChanged = "ISCHANGED", 1..=1;
    IsNew = "ISNEW", 0..=0;
    IsNull = "ISNULL", 1..=1;
    IsNumber = "ISNUMBER", 1..=1;
    IsPickVal = "ISPICKVAL", 2..=2;
    Left = "LEFT", 2..=2;
    Len = "LEN", 1..=1;
    Lower = "LOWER", 1..=1;
    Max = "MAX", 1..=MANY;
    Mid = "MID", 3..=3;
    Min = "MIN", 1..=MANY;
    Mod = "MOD", 2..=2;
    Not = "NOT", 1..=1;
    Now = "NOW", 0..=0;
    NullValue = "NULLVALUE", 2..=2;
    Or = "OR", 1..=MANY;
    PriorValue = "PRIORVALUE", 1..=1;
    Right = "RIGHT", 2..=2;
    Round = "ROUND", 2..=2;
    Substitute = "SUBSTITUTE", 3..=3;
    Text = "TEXT", 1..=1;
    Today = "TODAY", 0..=0;
    Trim = "TRIM", 1..=1;
    Upper = "UPPER", 1..=1;
    Value = "VALUE", 1..=1;
}

impl Function {
    /// The function of that name, in any case; else what to say about it.
    pub(super) fn named(name: &str) -> Result<Function, String> {
        let known = FUNCTIONS.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(name));
        if let Some((function, _, _)) = known {
            return Ok(*function);
        }
        if name.eq_ignore_ascii_case("REGEX") {
            return Err("REGEX is not known here: the simulator has no regular expressions; \
                        CONTAINS, BEGINS, LEN and ISNUMBER are"
                .to_owned());
        }
        let names = FUNCTIONS.iter().map(|(_, known, _)| *known);
        Err(match nearest(name, names) {
            Some(meant) => format!("there is no function {name}; did you mean {meant}?"),
            None => format!("there is no function {name}"),
        })
    }

    /// What is wrong with that many arguments, if anything.
    pub(super) fn check(self, arguments: usize) -> Result<(), String> {
        let Some((_, name, allowed)) = FUNCTIONS.iter().find(|(known, _, _)| *known == self) else {
            return Ok(());
        };
        if self == Function::Case && arguments % 2 == 1 {
            return Err("CASE takes a value, then pairs of a value and a result, then what \
                        remains if none fits"
                .to_owned());
        }
        if allowed.contains(&arguments) {
            return Ok(());
        }
        let (least, most) = (allowed.start(), allowed.end());
        let wanted = match (least, most) {
            (least, most) if least == most => least.to_string(),
            (least, &MANY) => format!("at least {least}"),
            (least, most) => format!("{least} to {most}"),
        };
        Err(format!("{name} takes {wanted} arguments and has {arguments}"))
    }

    /// These two ask about a field of the record, not about a value.
    pub(super) fn wants_field(self) -> bool {
        matches!(self, Function::IsChanged | Function::PriorValue)
    }
}
