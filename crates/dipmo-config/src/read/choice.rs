//! Alternatives that have values: a map with one key, or the key alone as a word.

/// Defines an enum of alternatives.
///
/// ```text
/// choice! {
///     /// What it is; becomes the description in the schema.
///     pub enum Login("a login", "client_credentials: {…}") {
///         /// What the alternative means.
///         Jwt(Jwt) = "jwt",
///         /// An alternative without a value.
///         None = "none",
///     }
/// }
/// ```
///
/// The word alone reads the value from nothing: a section without required keys has its defaults then.
macro_rules! choice {
    (
        $(#[doc = $doc:literal])+
        pub enum $name:ident($what:literal, $example:literal) {
            $($(#[doc = $about:literal])+ $variant:ident $(($type:ty))? = $word:literal,)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug)]
        pub enum $name {
            $($(#[doc = $about])+ $variant $(($type))?,)+
        }

        impl $crate::Read for $name {
            fn read(
                node: &$crate::node::Node,
                problems: &mut $crate::Problems,
            ) -> Option<Self> {
                const OF: $crate::read::Alternatives = $crate::read::Alternatives {
                    what: $what,
                    words: &[$($word),+],
                    example: $example,
                };
                let (number, value) = $crate::read::picked(node, &OF, problems)?;
                match OF.words[number] {
                    $($word => $crate::read::choice!(@value value problems $variant $(($type))?),)+
                    _ => None,
                }
            }

            fn schema(schemas: &mut $crate::schema::Schemas) -> serde_json::Value {
                schemas.define(stringify!($name), |schemas| {
                    let choice = $crate::schema::Choice::new(concat!($($doc),+));
                    $(let choice = choice.alternative(
                        $word,
                        concat!($($about),+),
                        $crate::read::choice!(@schema schemas $(($type))?),
                        $crate::read::choice!(@alone $(($type))?),
                    );)+
                    choice.finish()
                })
            }
        }
    };
    (@value $node:ident $problems:ident $variant:ident) => {{
        if !$node.is_null() {
            $crate::read::wrong_type(&$node, "nothing", "a word alone", $problems);
        }
        Some(Self::$variant)
    }};
    (@value $node:ident $problems:ident $variant:ident ($type:ty)) => {
        <$type as $crate::Read>::read(&$node, $problems).map(Self::$variant)
    };
    (@alone) => { true };
    (@alone ($type:ty)) => { $crate::read::stands_alone::<$type>() };
    (@schema $schemas:ident) => { None };
    (@schema $schemas:ident ($type:ty)) => { Some(<$type as $crate::Read>::schema($schemas)) };
}

pub(crate) use choice;
