//! Places in a payload.

use super::MaskError;

/// A JSON pointer (RFC 6901) in which `*` is any element of a list or field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pointer(Vec<String>);

impl Pointer {
    pub(crate) fn parse(text: &str) -> Result<Self, MaskError> {
        let wrong = |problem| MaskError { pointer: text.to_owned(), problem };
        if text.is_empty() {
            return Ok(Self(Vec::new()));
        }
        let rest = text.strip_prefix('/').ok_or_else(|| wrong("it begins with `/`"))?;
        let step = |step: &str| {
            let is_escape = |after: &str| after.starts_with(['0', '1']);
            if step.split('~').skip(1).all(is_escape) {
                Ok(step.replace("~1", "/").replace("~0", "~"))
            } else {
                Err(wrong("`~` is written as `~0`, and `/` in a name as `~1`"))
            }
        };
        rest.split('/').map(step).collect::<Result<_, _>>().map(Self)
    }

    /// Whether it names the place at the end of these steps.
    pub(crate) fn is_at(&self, steps: &[String]) -> bool {
        let fits = |(rule, step): (&String, &String)| rule == "*" || rule == step;
        self.0.len() == steps.len() && self.0.iter().zip(steps).all(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_names_its_places_and_no_others() {
        let at = |pointer: &str, steps: &[&str]| {
            let steps: Vec<String> = steps.iter().map(|step| (*step).to_owned()).collect();
            Pointer::parse(pointer).unwrap().is_at(&steps)
        };
        assert!(at("/items/*/sku", &["items", "3", "sku"]));
        assert!(!at("/items/*/sku", &["items", "sku"]));
        assert!(!at("/items/*/sku", &["items", "3", "sku", "x"]));
        assert!(at("/a~1b~0c", &["a/b~c"]) && at("", &[]) && at("/", &[""]));
    }

    #[test]
    fn what_is_no_pointer_is_refused() {
        for wrong in ["a", "a/b", "$.a", "/a~", "/a~2b"] {
            assert!(Pointer::parse(wrong).is_err(), "{wrong}");
        }
    }
}
