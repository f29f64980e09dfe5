//! What goes into the path of a URL.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::class::Class;
use crate::error::Error;
use crate::record::RecordRef;

/// What is more than a letter or a digit and needs no escape.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Where a version of the API begins.
pub(crate) fn version_root(version: &str) -> String {
    format!("/services/data/v{version}")
}

/// The name of an object, a field or a job, or why it is none: a name with a slash would be another
/// path.
pub(crate) fn name<'a>(what: &str, name: &'a str) -> Result<&'a str, Error> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.is_empty() && name.chars().all(fits) {
        return Ok(name);
    }
    Err(Error::request_invalid(Class::Misconfigured, format!("{name:?} is no name of {what}")))
}

/// `/sobjects/{object}/{field}/{key}`.
pub(crate) fn record_path(version: &str, at: &RecordRef<'_>) -> Result<String, Error> {
    let mut path = record_place(version, at)?;
    path.truncate(path.len() - 1);
    // Every reader of a URL takes these for steps in its path, escaped or not.
    if matches!(at.key, "" | "." | "..") {
        let message =
            format!("the external id of a record of {} cannot be empty, `.` or `..`", at.object);
        return Err(Error::request_invalid(Class::Permanent, message));
    }
    // Writing to a text cannot fail.
    let _ = write!(path, "{}", utf8_percent_encode(at.key, ESCAPED));
    Ok(path)
}

/// The same for people, without the key: that may be anybody's e-mail address.
pub(crate) fn record_place(version: &str, at: &RecordRef<'_>) -> Result<String, Error> {
    let object = name("an object", at.object)?;
    let field = name("a field", at.field)?;
    Ok(format!("{}/sobjects/{object}/{field}/*", version_root(version)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(object: &str, field: &str, key: &str) -> Result<String, Error> {
        record_path("62.0", &RecordRef { object, field, key })
    }

    #[test]
    fn a_key_is_escaped() {
        let expected = "/services/data/v62.0/sobjects/Contact/Ext__c/a%2Fb%3F%C3%BC%20%25-_.~";
        assert_eq!(path("Contact", "Ext__c", "a/b?ü %-_.~").unwrap(), expected);
    }

    #[test]
    fn what_would_be_another_path_is_refused() {
        for key in ["", ".", ".."] {
            let error = path("Contact", "Ext__c", key).unwrap_err();
            assert_eq!(error.class(), Class::Permanent, "{key:?}");
        }
        for (object, field) in [("Con/tact", "Ext__c"), ("", "Ext__c"), ("Contact", "..")] {
            let error = path(object, field, "1").unwrap_err();
            assert_eq!(error.class(), Class::Misconfigured, "{object} {field}");
        }
    }
}
