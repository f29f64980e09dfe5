//! Scalars, and what a plain one means by the core schema of YAML 1.2.

use granit_parser::ScalarStyle;

/// How a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes: only such a scalar may be a number, a truth or nothing.
    Plain,
    /// `'…'`
    Single,
    /// `"…"`
    Double,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

impl From<ScalarStyle> for Style {
    fn from(style: ScalarStyle) -> Self {
        match style {
            ScalarStyle::Plain => Self::Plain,
            ScalarStyle::SingleQuoted => Self::Single,
            ScalarStyle::DoubleQuoted => Self::Double,
            ScalarStyle::Literal => Self::Literal,
            ScalarStyle::Folded => Self::Folded,
        }
    }
}

/// A scalar.
#[derive(Clone)]
pub struct Scalar {
    /// What it says, without quotes and escapes.
    pub text: String,
    /// How it was written.
    pub style: Style,
    /// What was written, where `text` is what a reference such as `${env:URL}` stands for. Then `text`
    /// is never shown to anybody.
    pub reference: Option<String>,
}

/// What a scalar is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScalarKind {
    /// `null`, `~` or empty.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// All else.
    Text,
}

impl Scalar {
    /// What it is. What a reference stands for is taken as if it had been written without quotes.
    #[must_use]
    pub fn kind(&self) -> ScalarKind {
        if self.style != Style::Plain { ScalarKind::Text } else { plain(&self.text) }
    }

    /// True when it is a reference that nothing was found for, or that nobody looked for.
    #[must_use]
    pub fn is_unresolved(&self) -> bool {
        self.reference.as_ref() == Some(&self.text)
    }

    /// How a message shows it: a text of a reference is not shown, and a long one is cut.
    #[must_use]
    pub fn shown(&self) -> String {
        if let Some(written) = &self.reference {
            return format!("what {} stands for", cut(written));
        }
        format!("`{}`", cut(&self.text))
    }
}

impl std::fmt::Debug for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown())
    }
}

/// The beginning of a text, on one line.
pub(crate) fn cut(text: &str) -> String {
    const LONGEST: usize = 60;
    let line = text.lines().next().unwrap_or("");
    let shown: String = line.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    if shown.len() < text.trim_end().len() { format!("{shown}…") } else { shown }
}

fn plain(text: &str) -> ScalarKind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => ScalarKind::Null,
        "true" | "True" | "TRUE" => ScalarKind::Bool(true),
        "false" | "False" | "FALSE" => ScalarKind::Bool(false),
        ".nan" | ".NaN" | ".NAN" => ScalarKind::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => ScalarKind::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => ScalarKind::Float(f64::NEG_INFINITY),
        _ => integer(text).or_else(|| float(text)).unwrap_or(ScalarKind::Text),
    }
}

fn integer(text: &str) -> Option<ScalarKind> {
    let of = |digits: &str, radix| {
        let valid = !digits.is_empty() && digits.bytes().all(|byte| (byte as char).is_digit(radix));
        valid.then(|| i64::from_str_radix(digits, radix).ok()).flatten()
    };
    let number = if let Some(octal) = text.strip_prefix("0o") {
        of(octal, 8)
    } else if let Some(hex) = text.strip_prefix("0x") {
        of(hex, 16)
    } else {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        all.then(|| text.parse().ok()).flatten()
    };
    number.map(ScalarKind::Integer)
}

/// `[-+]? ( . [0-9]+ | [0-9]+ ( . [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
fn float(text: &str) -> Option<ScalarKind> {
    let rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (rest, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa_ok = match mantissa.split_once('.') {
        Some(("", after)) => !after.is_empty() && digits(after),
        Some((before, after)) => digits(before) && digits(after),
        None => !mantissa.is_empty() && digits(mantissa),
    };
    let exponent_ok = exponent.is_none_or(|exponent| {
        let bare = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !bare.is_empty() && digits(bare)
    });
    (mantissa_ok && exponent_ok).then(|| text.parse().ok().map(ScalarKind::Float)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_scalar_is_what_the_core_schema_says() {
        for (text, kind) in [
            ("true", ScalarKind::Bool(true)),
            ("FALSE", ScalarKind::Bool(false)),
            ("~", ScalarKind::Null),
            ("123", ScalarKind::Integer(123)),
            ("-0", ScalarKind::Integer(0)),
            ("0x1F", ScalarKind::Integer(31)),
            ("0o17", ScalarKind::Integer(15)),
            ("1.5", ScalarKind::Float(1.5)),
            ("1e3", ScalarKind::Float(1000.0)),
            (".5", ScalarKind::Float(0.5)),
            ("99999999999999999999", ScalarKind::Float(1e20)),
            ("-.inf", ScalarKind::Float(f64::NEG_INFINITY)),
        ] {
            assert_eq!(plain(text), kind, "{text}");
        }
    }

    #[test]
    fn what_other_yamls_make_a_truth_or_a_number_of_is_a_text() {
        for text in
            ["NO", "yes", "off", "y", "1_000", "0x", "0b1", "12:30:00", "1.2.3", "e5", ".", "nan"]
        {
            assert_eq!(plain(text), ScalarKind::Text, "{text}");
        }
        let quoted = Scalar { text: "true".to_owned(), style: Style::Double, reference: None };
        assert_eq!(quoted.kind(), ScalarKind::Text);
    }

    #[test]
    fn what_a_reference_stands_for_is_never_shown() {
        let scalar = Scalar {
            text: "s3cret".to_owned(),
            style: Style::Plain,
            reference: Some("${env:PASSWORD}".to_owned()),
        };
        assert_eq!(scalar.shown(), "what ${env:PASSWORD} stands for");
        assert!(!format!("{scalar:?}").contains("s3cret"));
    }
}
