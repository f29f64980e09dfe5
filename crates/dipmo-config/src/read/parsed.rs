//! Types that are read from a text by their own rules.

/// Lets a type with `FromStr` stand in the file. The error of the type says what is wrong with a text.
macro_rules! parsed {
    ($type:ty, $what:literal, $example:literal, $pattern:literal) => {
        impl $crate::Read for $type {
            fn read(node: &$crate::node::Node, problems: &mut $crate::Problems) -> Option<Self> {
                let scalar = $crate::read::text_of(node, problems)?;
                match scalar.text.parse() {
                    Ok(value) => Some(value),
                    // The error repeats the text, which may be what a reference stands for.
                    Err(_) if scalar.reference.is_some() => {
                        let message = format!("{} is not {}", scalar.shown(), $what);
                        problems.push($crate::read::invalid(node.place, message));
                        None
                    }
                    Err(error) => {
                        problems.push($crate::read::invalid(node.place, error.to_string()));
                        None
                    }
                }
            }

            fn schema(_: &mut $crate::schema::Schemas) -> serde_json::Value {
                $crate::schema::text($pattern, $example)
            }
        }
    };
}

pub(crate) use parsed;

parsed!(dipmo_domain::Backoff, "a retry policy", "exponential(1s, 5m, 10)", "");
parsed!(dipmo_domain::Destination, "a destination", "KAFKA:orders", "");
