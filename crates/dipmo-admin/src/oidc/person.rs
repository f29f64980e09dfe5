//! Somebody whom an issuer knows, as the audit names them.
//!
//! **Invariant:** whoever comes with another subject has another name in the audit, and one that no token of dipmo's own can
//! have: those have no blanks in their names.

use dipmo_domain::cut_to_bytes;

/// So much of what people call them, of their subject and of their issuer is shown: all of it fits into the column.
const LONGEST_NAME: usize = 40;
const LONGEST_SUBJECT: usize = 60;
const LONGEST_ISSUER: usize = 80;
/// So many characters of a hash tell two long subjects apart.
const HASHED: usize = 16;

/// What a token says about somebody.
pub(super) struct Person<'a> {
    pub(super) subject: &'a str,
    pub(super) name: Option<&'a str>,
    pub(super) issuer: &'a str,
}

/// The name of somebody in the audit.
pub(super) fn name_of(person: &Person<'_>) -> String {
    let subject = shown(person.subject, LONGEST_SUBJECT);
    let subject = if subject == person.subject {
        subject
    } else {
        // What was left out could be all that they differ in.
        let hash = blake3::hash(person.subject.as_bytes()).to_hex();
        let begins = cut_to_bytes(&subject, LONGEST_SUBJECT - HASHED - 1);
        format!("{begins}#{}", &hash[..HASHED])
    };
    let issuer = shown(person.issuer, LONGEST_ISSUER);
    let at = format!("{subject} at {issuer}");
    match person.name.map(|name| shown(name, LONGEST_NAME)).filter(|name| !name.is_empty()) {
        Some(name) => format!("{name} ({at})"),
        None => at,
    }
}

/// A text without what a terminal or a database would stumble over.
fn shown(text: &str, longest: usize) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control()).collect();
    cut_to_bytes(plain.trim(), longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(subject: &str, name: Option<&str>) -> String {
        name_of(&Person { subject, name, issuer: "https://login.example.com" })
    }

    #[test]
    fn a_name_is_for_people_and_a_subject_for_proof() {
        assert_eq!(named("1234", None), "1234 at https://login.example.com");
        assert_eq!(named("1234", Some("Jane")), "Jane (1234 at https://login.example.com)");
        assert_eq!(named("1234", Some(" \n ")), "1234 at https://login.example.com");
        assert_eq!(named("1234", Some("J\0a\u{1b}ne")), "Jane (1234 at https://login.example.com)");
    }

    #[test]
    fn no_two_subjects_have_one_name_and_every_name_fits() {
        let long = |last: char| format!("{}{last}", "ö".repeat(250));
        let names = [
            named(&long('a'), Some(&long('a'))),
            named(&long('b'), Some(&long('a'))),
            named("12\u{0}34", None),
            named("1234", None),
        ];
        for (n, name) in names.iter().enumerate() {
            assert!(!names[n + 1..].contains(name), "{name}");
        }
        let issuer = format!("https://{}", "x".repeat(300));
        let (subject, name) = (&long('a'), Some(&*long('a')));
        let longest = name_of(&Person { subject, name, issuer: &issuer });
        assert!(longest.len() <= 200, "{} {longest}", longest.len());
    }
}
