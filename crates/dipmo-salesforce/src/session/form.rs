//! A form as a browser would send it.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::secret::Secret;

/// The fields, encoded. There is a secret in every form that we send.
pub(crate) fn encode(fields: &[(&str, &str)]) -> Secret {
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let pair = |&(name, value): &(&str, &str)| format!("{}={}", encoded(name), encoded(value));
    Secret::new(fields.iter().map(pair).collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_in_a_secret_arrives() {
        let form = encode(&[("grant_type", "a:b"), ("s", "x&y=z +ü%")]);
        assert_eq!(form.expose(), "grant%5Ftype=a%3Ab&s=x%26y%3Dz%20%2B%C3%BC%25");
    }
}
