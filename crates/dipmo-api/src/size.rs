//! What a text column takes, whichever database it is in.

/// Refuses a text that is empty, too long, or has a character that PostgreSQL refuses.
pub(crate) fn check_text(what: &str, text: &str, max_chars: usize) -> Result<(), String> {
    if text.is_empty() {
        return Err(format!("{what} is empty"));
    }
    if text.contains('\0') {
        return Err(format!("{what} has a NUL character"));
    }
    if text.chars().count() > max_chars {
        return Err(format!("{what} is longer than {max_chars} characters"));
    }
    Ok(())
}
