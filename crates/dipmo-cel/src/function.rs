//! The functions there are, and what they take.

use crate::types::Type;

/// A function, whatever the types of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Size,
    Contains,
    StartsWith,
    EndsWith,
    Matches,
    Dyn,
    ToString,
    ToInt,
    ToUint,
    ToDouble,
    ToBool,
    ToBytes,
    ToTimestamp,
    ToDuration,
    Time(TimePart),
    LowerAscii,
    UpperAscii,
    Trim,
    Split,
    Join,
    Substring,
    Replace,
    IndexOf,
    CharAt,
}

impl Function {
    /// Whether it makes one type of another: text that is written out and cannot be converted is a mistake.
    pub(crate) const fn is_conversion(self) -> bool {
        matches!(
            self,
            Self::ToInt
                | Self::ToUint
                | Self::ToDouble
                | Self::ToBool
                | Self::ToTimestamp
                | Self::ToDuration
        )
    }
}

/// A part of a time, or of a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimePart {
    FullYear,
    Month,
    Date,
    DayOfMonth,
    DayOfWeek,
    DayOfYear,
    Hours,
    Minutes,
    Seconds,
    Milliseconds,
}

/// How it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `f(x)`.
    Global,
    /// `x.f()`.
    Method,
    Both,
}

/// What an argument or a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Any,
    /// Anything that is one value, and not null.
    Scalar,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Timestamp,
    Duration,
    List,
    Map,
    Strings,
}

/// One way to call a function; the first argument of a method is what stands before the dot.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) name: &'static str,
    pub(crate) style: Style,
    pub(crate) takes: &'static [Kind],
    pub(crate) gives: Kind,
    pub(crate) function: Function,
}

/// `style name(takes, ...) -> gives = function;`
macro_rules! signatures {
    ($($style:ident $name:ident($($takes:ident),*) -> $gives:ident = $function:expr;)*) => {
        &[$(Signature {
            name: stringify!($name),
            style: Style::$style,
            takes: &[$(Kind::$takes),*],
            gives: Kind::$gives,
            function: { use Function::*; $function },
        }),*]
    };
}

/// Every way to call every function.
pub(crate) const SIGNATURES: &[Signature] = signatures! {
    Both size(String) -> Int = Size;
    Both size(Bytes) -> Int = Size;
    Both size(List) -> Int = Size;
    Both size(Map) -> Int = Size;
    Method contains(String, String) -> Bool = Contains;
    Method startsWith(String, String) -> Bool = StartsWith;
    Method endsWith(String, String) -> Bool = EndsWith;
    Both matches(String, String) -> Bool = Matches;
    Global dyn(Any) -> Any = Dyn;
    Global string(Scalar) -> String = ToString;
    Global int(Int) -> Int = ToInt;
    Global int(Uint) -> Int = ToInt;
    Global int(Double) -> Int = ToInt;
    Global int(String) -> Int = ToInt;
    Global int(Timestamp) -> Int = ToInt;
    Global uint(Int) -> Uint = ToUint;
    Global uint(Uint) -> Uint = ToUint;
    Global uint(Double) -> Uint = ToUint;
    Global uint(String) -> Uint = ToUint;
    Global double(Int) -> Double = ToDouble;
    Global double(Uint) -> Double = ToDouble;
    Global double(Double) -> Double = ToDouble;
    Global double(String) -> Double = ToDouble;
    Global bool(Bool) -> Bool = ToBool;
    Global bool(String) -> Bool = ToBool;
    Global bytes(String) -> Bytes = ToBytes;
    Global bytes(Bytes) -> Bytes = ToBytes;
    Global timestamp(String) -> Timestamp = ToTimestamp;
    Global timestamp(Timestamp) -> Timestamp = ToTimestamp;
    Global timestamp(Int) -> Timestamp = ToTimestamp;
    Global duration(String) -> Duration = ToDuration;
    Global duration(Duration) -> Duration = ToDuration;
    Method getFullYear(Timestamp) -> Int = Time(TimePart::FullYear);
    Method getMonth(Timestamp) -> Int = Time(TimePart::Month);
    Method getDate(Timestamp) -> Int = Time(TimePart::Date);
    Method getDayOfMonth(Timestamp) -> Int = Time(TimePart::DayOfMonth);
    Method getDayOfWeek(Timestamp) -> Int = Time(TimePart::DayOfWeek);
    Method getDayOfYear(Timestamp) -> Int = Time(TimePart::DayOfYear);
    Method getHours(Timestamp) -> Int = Time(TimePart::Hours);
    Method getHours(Duration) -> Int = Time(TimePart::Hours);
    Method getMinutes(Timestamp) -> Int = Time(TimePart::Minutes);
    Method getMinutes(Duration) -> Int = Time(TimePart::Minutes);
    Method getSeconds(Timestamp) -> Int = Time(TimePart::Seconds);
    Method getSeconds(Duration) -> Int = Time(TimePart::Seconds);
    Method getMilliseconds(Timestamp) -> Int = Time(TimePart::Milliseconds);
    Method getMilliseconds(Duration) -> Int = Time(TimePart::Milliseconds);
    Method lowerAscii(String) -> String = LowerAscii;
    Method upperAscii(String) -> String = UpperAscii;
    Method trim(String) -> String = Trim;
    Method split(String, String) -> Strings = Split;
    Method split(String, String, Int) -> Strings = Split;
    Method join(Strings) -> String = Join;
    Method join(Strings, String) -> String = Join;
    Method substring(String, Int) -> String = Substring;
    Method substring(String, Int, Int) -> String = Substring;
    Method replace(String, String, String) -> String = Replace;
    Method replace(String, String, String, Int) -> String = Replace;
    Method indexOf(String, String) -> Int = IndexOf;
    Method indexOf(String, String, Int) -> Int = IndexOf;
    Method charAt(String, Int) -> String = CharAt;
};

/// No function takes more.
pub(crate) const MOST_ARGUMENTS: usize = 4;

impl Kind {
    pub(crate) fn ty(self) -> Type {
        match self {
            Self::Any | Self::Scalar => Type::Dyn,
            Self::Bool => Type::Bool,
            Self::Int => Type::Int,
            Self::Uint => Type::Uint,
            Self::Double => Type::Double,
            Self::String => Type::String,
            Self::Bytes => Type::Bytes,
            Self::Timestamp => Type::Timestamp,
            Self::Duration => Type::Duration,
            Self::List => Type::list(Type::Dyn),
            Self::Map => Type::map(Type::Dyn),
            Self::Strings => Type::list(Type::String),
        }
    }
}

impl Signature {
    /// Whether it takes these. What may be null is taken for what it is else.
    pub(crate) fn fits<'t>(&self, arguments: impl Iterator<Item = &'t Type>) -> bool {
        self.takes.iter().zip(arguments).all(|(kind, found)| match (kind, found.bare()) {
            (Kind::Scalar, found) => {
                !matches!(found, Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Null)
            }
            (kind, found) => found.fits(&kind.ty()),
        })
    }

    /// How a user would write it down.
    pub(crate) fn usage(&self) -> String {
        let types: Vec<String> = self.takes.iter().map(|kind| kind.ty().to_string()).collect();
        match (self.style, &types[..]) {
            (Style::Method, [of, rest @ ..]) => format!("{of}.{}({})", self.name, rest.join(", ")),
            _ => format!("{}({})", self.name, types.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_function_takes_more_than_there_is_room_for() {
        assert!(SIGNATURES.iter().all(|signature| signature.takes.len() <= MOST_ARGUMENTS));
    }

    #[test]
    fn the_guide_names_every_function() {
        let guide = include_str!("../../../docs/guide/expressions.md");
        for Signature { name, .. } in SIGNATURES {
            let named = [format!("`{name}"), format!(".{name}("), format!("`{name}`")];
            assert!(named.iter().any(|named| guide.contains(named)), "{name}");
        }
    }

    #[test]
    fn a_signature_is_shown_as_it_is_written() {
        let usage = |name| SIGNATURES.iter().find(|found| found.name == name).unwrap().usage();
        assert_eq!(usage("contains"), "string.contains(string)");
        assert_eq!(usage("uint"), "uint(int)");
    }
}
