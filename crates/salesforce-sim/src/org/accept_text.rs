//! Texts that must have a form: dates, times and addresses.

use std::sync::Arc;

use jiff::civil;

use crate::datetime;

/// A date such as `2024-02-29`.
pub(super) fn date(text: &str) -> Option<Arc<str>> {
    let shaped = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| {
            if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() }
        });
    let date: civil::Date = shaped.then(|| text.parse().ok()).flatten()?;
    // The calendar of Salesforce has an end on both sides.
    (1700..=4000).contains(&date.year()).then(|| text.into())
}

/// A time such as `2024-02-29T10:00:00Z`, in the form in which Salesforce gives it back.
pub(super) fn time(text: &str) -> Option<Arc<str>> {
    if text.as_bytes().get(10) != Some(&b'T') {
        return None;
    }
    let text = datetime::write(datetime::parse(text)?);
    date(text.get(..10)?)?;
    Some(text.into())
}

/// Whether Salesforce would take it for an address.
pub(super) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let atom = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*/=?^_+-`{|}~".contains(&byte))
    };
    let label = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    local.len() <= 64
        && local.split('.').all(atom)
        && domain.contains('.')
        && domain.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date("2024-02-29").as_deref(), Some("2024-02-29"));
        for text in [
            "2023-02-29",
            "2024-2-9",
            "29.02.2024",
            "2024-02-29T00:00:00Z",
            "1699-12-31",
            "+024-02-29",
            "é024-02-2",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn times_come_back_in_one_form() {
        for text in [
            "2024-02-29T10:00:00Z",
            "2024-02-29T10:00:00.000Z",
            "2024-02-29T12:00:00+02:00",
            "2024-02-29T12:00:00.000+0200",
        ] {
            assert_eq!(time(text).as_deref(), Some("2024-02-29T10:00:00.000+0000"), "{text}");
        }
        for text in [
            "2024-02-29",
            "2024-02-29 10:00:00Z",
            "2024-02-29T10:00:00",
            "2024-02-29T25:00:00Z",
            "9999-01-01T00:00:00Z",
            "T",
            "",
        ] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    #[test]
    fn addresses() {
        for text in ["jane@example.com", "j.o'neil+a_b@mail.example.co", "a@b.cd"] {
            assert!(is_email(text), "{text}");
        }
        for text in [
            "jane",
            "jane@",
            "@example.com",
            "jane@example",
            "a b@example.com",
            "a@b@example.com",
            ".a@example.com",
            "a@.com",
            "a@exa_mple.com",
            "ä@example.com",
        ] {
            assert!(!is_email(text), "{text}");
        }
    }
}
