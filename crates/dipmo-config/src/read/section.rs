//! The definition of a section, from which its struct, its reader and its schema come.

/// Defines a section: a map with known keys.
///
/// ```text
/// section! {
///     /// What it is; becomes the description in the schema.
///     pub struct Batch("a batch") {
///         /// What the key means, and its default in words.
///         #[key("most-records")]        // where the key is no name of a Rust field
///         #[example(2_000)]             // any number of examples
///         records: Option<Spanned<u32>>,
///     }
/// }
/// ```
///
/// A field whose type has no [`absent`](crate::Read::absent) value is required. `one_of ["a", "b"]` behind
/// the name asks for exactly one of these keys; `or field` allows a scalar instead of the map, which is
/// read as that field. Every section gets a field `place` besides.
macro_rules! section {
    (
        $(#[doc = $doc:literal])+
        pub struct $name:ident($what:literal) $(one_of [$($one:literal),+])? $(or $short:ident)? {
            $(
                $(#[doc = $about:literal])+
                $(#[key($key:literal)])?
                $(#[example($($example:tt)+)])*
                $field:ident: $type:ty,
            )*
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug)]
        pub struct $name {
            /// Where it stands: its key, where it has one.
            pub place: $crate::Place,
            $($(#[doc = $about])+ pub $field: $type,)*
        }

        impl $crate::Read for $name {
            fn read(
                node: &$crate::node::Node,
                problems: &mut $crate::Problems,
            ) -> Option<Self> {
                const KEYS: &[&str] = &[$($crate::read::section!(@key $field $($key)?)),*];
                const ONE_OF: &[&str] = &[$($($one),+)?];
                const SHORT: Option<&str> = [$(Some(stringify!($short)),)? None][0];
                let open = $crate::read::Open::new(node, $what, KEYS, ONE_OF, SHORT, problems)?;
                $(let $field = open.field::<$type>(
                    $crate::read::section!(@key $field $($key)?),
                    || vec![$(serde_json::json!($($example)+)),*],
                    problems,
                );)*
                let place = node.head();
                Some(Self { place, $($field: $field?,)* })
            }

            fn schema(schemas: &mut $crate::schema::Schemas) -> serde_json::Value {
                schemas.define(stringify!($name), |schemas| {
                    let section = $crate::schema::Section::new(concat!($($doc),+));
                    $(let section = section.key(
                        $crate::read::section!(@key $field $($key)?),
                        concat!($($about),+),
                        <$type as $crate::Read>::schema(schemas),
                        <$type as $crate::Read>::absent().is_none(),
                        &[$(serde_json::json!($($example)+)),*],
                    );)*
                    $(let section = section.one_of(&[$($one),+]);)?
                    $(let section = section.or_scalar(stringify!($short));)?
                    section.finish()
                })
            }
        }
    };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
}

pub(crate) use section;
