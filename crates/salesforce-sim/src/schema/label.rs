//! The label that a person would give to a name.

/// `Last Name` for `LastName`, `Outbox Row Id` for `Outbox_Row_Id__c`.
pub(super) fn label_of(name: &str) -> String {
    let name = name.strip_suffix("__c").unwrap_or(name);
    let mut label = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for letter in name.chars() {
        if letter == '_' {
            label.push(' ');
        } else {
            if letter.is_uppercase() && before.is_lowercase() {
                label.push(' ');
            }
            label.push(letter);
        }
        before = letter;
    }
    label
}

/// The usual plural of a label.
pub(super) fn plural_of(label: &str) -> String {
    match label.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        Some(_) | None => format!("{label}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels() {
        for (name, label) in [
            ("LastName", "Last Name"),
            ("Outbox_Row_Id__c", "Outbox Row Id"),
            ("BlockedAt__c", "Blocked At"),
            ("URL", "URL"),
        ] {
            assert_eq!(label_of(name), label);
        }
        for (label, plural) in [("Family", "Families"), ("Contact", "Contacts"), ("Day", "Days")] {
            assert_eq!(plural_of(label), plural);
        }
    }
}
