//! What an expression can be, as far as it is known before it runs.

use std::fmt;
use std::sync::Arc;

/// The type of a variable, of a field, or of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Anything: nothing about it is checked before it runs.
    Dyn,
    /// Only `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A whole number of 64 bits.
    Int,
    /// A whole number of 64 bits that is not negative.
    Uint,
    /// A floating-point number of 64 bits.
    Double,
    /// Text.
    String,
    /// Bytes.
    Bytes,
    /// A point in time.
    Timestamp,
    /// A span of time.
    Duration,
    /// A list whose elements have this type.
    List(Arc<Type>),
    /// A map from strings to this type.
    Map(Arc<Type>),
    /// A map whose fields are known.
    Object(Arc<Object>),
    /// This type, or `null`, or not there at all.
    Optional(Arc<Type>),
}

/// The fields of a [`Type::Object`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// What messages call it, such as `event`.
    pub name: String,
    /// Its fields, each once.
    pub fields: Vec<(String, Type)>,
    /// Whether it may have others too, whose type is then [`Type::Dyn`].
    pub open: bool,
}

impl Object {
    /// The type of a field that is declared.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Type> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, ty)| ty)
    }

    /// The same without the fields that are not named: what is left to check when only these are read.
    #[must_use]
    pub fn only(&self, names: &[String]) -> Self {
        let fields =
            self.fields.iter().filter(|(field, _)| names.contains(field)).cloned().collect();
        Self { name: self.name.clone(), fields, open: self.open }
    }
}

impl Type {
    /// A list of these.
    #[must_use]
    pub fn list(of: Self) -> Self {
        Self::List(Arc::new(of))
    }

    /// A map from strings to these.
    #[must_use]
    pub fn map(of: Self) -> Self {
        Self::Map(Arc::new(of))
    }

    /// This or null; what may be null already, and what is not known, stays what it is.
    #[must_use]
    pub fn optional(of: Self) -> Self {
        match of {
            Self::Dyn | Self::Null | Self::Optional(_) => of,
            _ => Self::Optional(Arc::new(of)),
        }
    }

    /// A map with these fields and no others.
    #[must_use]
    pub fn object<N: Into<String>>(
        name: impl Into<String>,
        fields: impl IntoIterator<Item = (N, Self)>,
    ) -> Self {
        let fields = fields.into_iter().map(|(name, ty)| (name.into(), ty)).collect();
        Self::Object(Arc::new(Object { name: name.into(), fields, open: false }))
    }

    /// The type without its `or null`.
    #[must_use]
    pub fn bare(&self) -> &Self {
        match self {
            Self::Optional(of) => of.bare(),
            other => other,
        }
    }

    /// Whether a value of this type can stand where `wanted` is wanted.
    ///
    /// What may be null passes, since no check before the run could know; it fails there if it is.
    #[must_use]
    pub fn fits(&self, wanted: &Self) -> bool {
        match (self, wanted) {
            (Self::Dyn, _)
            | (_, Self::Dyn)
            | (Self::Null, Self::Optional(_))
            | (Self::Optional(_), Self::Null) => true,
            (Self::Optional(_), _) | (_, Self::Optional(_)) => self.bare().fits(wanted.bare()),
            (Self::List(of), Self::List(wanted)) | (Self::Map(of), Self::Map(wanted)) => {
                of.fits(wanted)
            }
            (Self::Object(object), Self::Map(wanted)) => {
                object.fields.iter().all(|(_, ty)| ty.fits(wanted))
            }
            (Self::Map(of), Self::Object(wanted)) => {
                wanted.open || wanted.fields.iter().all(|(_, ty)| of.fits(ty))
            }
            (Self::Object(object), Self::Object(wanted)) => object.fits(wanted),
            _ => self == wanted,
        }
    }

    /// What is known of a value that is one or the other.
    pub(crate) fn join(&self, other: &Self) -> Self {
        match (self, other) {
            _ if self == other => self.clone(),
            (Self::Null, some) | (some, Self::Null) => Self::optional(some.clone()),
            (Self::Optional(_), _) | (_, Self::Optional(_)) => {
                Self::optional(self.bare().join(other.bare()))
            }
            (Self::List(a), Self::List(b)) => Self::list(a.join(b)),
            (Self::Map(a), Self::Map(b)) => Self::map(a.join(b)),
            _ => Self::Dyn,
        }
    }

    /// The type with `a` or `an` before it, where English wants one.
    pub(crate) fn with_article(&self) -> String {
        match self {
            Self::Dyn => "any value".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Bytes => "bytes".to_owned(),
            other => with_article(&other.to_string()),
        }
    }
}

impl Object {
    fn fits(&self, wanted: &Self) -> bool {
        let there = wanted.fields.iter().all(|(name, ty)| match self.field(name) {
            Some(found) => found.fits(ty),
            None => self.open || matches!(ty, Type::Optional(_) | Type::Dyn),
        });
        there && (wanted.open || self.fields.iter().all(|(name, _)| wanted.field(name).is_some()))
    }
}

/// `an int`, `a string`.
pub(crate) fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {noun}")
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn => f.write_str("any"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Uint => f.write_str("uint"),
            Self::Double => f.write_str("double"),
            Self::String => f.write_str("string"),
            Self::Bytes => f.write_str("bytes"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Duration => f.write_str("duration"),
            Self::List(of) => write!(f, "list({of})"),
            Self::Map(of) => write!(f, "map({of})"),
            Self::Object(object) if object.name.is_empty() => f.write_str("object"),
            Self::Object(object) => write!(f, "object {}", object.name),
            Self::Optional(of) => write!(f, "{of} or null"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_shown_as_a_user_would_read_it() {
        let shown = |ty: Type| ty.to_string();
        assert_eq!(shown(Type::String), "string");
        assert_eq!(shown(Type::list(Type::Int)), "list(int)");
        assert_eq!(shown(Type::optional(Type::String)), "string or null");
        assert_eq!(shown(Type::optional(Type::optional(Type::String))), "string or null");
        assert_eq!(shown(Type::object("event", [("a", Type::Int)])), "object event");
        assert_eq!(Type::Int.with_article(), "an int");
        assert_eq!(Type::Uint.with_article(), "a uint");
    }

    #[test]
    fn what_may_be_null_fits_where_it_may_not() {
        let maybe = Type::optional(Type::Int);
        assert!(maybe.fits(&Type::Int) && Type::Int.fits(&maybe) && Type::Null.fits(&maybe));
        assert!(!Type::Null.fits(&Type::Int));
        assert!(!maybe.fits(&Type::String));
    }

    #[test]
    fn an_object_fits_when_its_fields_do() {
        let wanted = Type::object("w", [("a", Type::Int), ("b", Type::optional(Type::String))]);
        assert!(Type::object("x", [("a", Type::Int)]).fits(&wanted));
        assert!(!Type::object("x", [("b", Type::String)]).fits(&wanted), "`a` is wanted");
        assert!(
            !Type::object("x", [("a", Type::Int), ("c", Type::Int)]).fits(&wanted),
            "`c` is not"
        );
        assert!(!Type::object("x", [("a", Type::Int)]).fits(&Type::map(Type::String)));
    }
}
