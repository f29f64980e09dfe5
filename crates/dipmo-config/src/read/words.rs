//! Words of which one is chosen.

/// Defines an enum of words.
///
/// ```text
/// words! {
///     /// What it is; becomes the description in the schema.
///     pub enum Start("where to begin") {
///         /// What the word means.
///         Earliest = "earliest",
///     }
/// }
/// ```
macro_rules! words {
    (
        $(#[doc = $doc:literal])+
        pub enum $name:ident($what:literal) {
            $($(#[doc = $about:literal])+ $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[doc = $about])+ $variant,)+
        }

        impl $name {
            /// As it is written.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl $crate::Read for $name {
            fn read(
                node: &$crate::node::Node,
                problems: &mut $crate::Problems,
            ) -> Option<Self> {
                const WORDS: &[&str] = &[$($word),+];
                let scalar = $crate::read::scalar(node, $what, WORDS[0], problems)?;
                match scalar.text.as_str() {
                    $($word => Some(Self::$variant),)+
                    other => {
                        let message = format!("{} is not {}", scalar.shown(), $what);
                        problems.push($crate::read::unknown_word(node.place, message, other, WORDS));
                        None
                    }
                }
            }

            fn schema(schemas: &mut $crate::schema::Schemas) -> serde_json::Value {
                schemas.define(stringify!($name), |_| {
                    $crate::schema::words(concat!($($doc),+), &[$(($word, concat!($($about),+))),+])
                })
            }
        }
    };
}

pub(crate) use words;
