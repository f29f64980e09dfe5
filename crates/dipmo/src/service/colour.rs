//! Whether text may have colour.

use std::ffi::OsStr;
use std::io::IsTerminal;

/// True when a stream is a terminal that shows colour, and nobody said that none is wanted.
pub fn is_wanted(stream: &impl IsTerminal) -> bool {
    let var = |name| std::env::var_os(name);
    stream.is_terminal() && allowed(var("NO_COLOR").as_deref(), var("TERM").as_deref())
}

/// What the environment says. An empty `NO_COLOR` counts as none, as its definition wants.
fn allowed(no_color: Option<&OsStr>, term: Option<&OsStr>) -> bool {
    no_color.is_none_or(OsStr::is_empty) && term.is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_can_forbid_it() {
        let says = |no_color: Option<&str>, term: Option<&str>| {
            allowed(no_color.map(OsStr::new), term.map(OsStr::new))
        };
        assert!(says(None, None) && says(Some(""), Some("xterm")));
        assert!(!says(Some("1"), None) && !says(None, Some("dumb")));
    }
}
