//! Whether a destination takes anything.

use dipmo_domain::Failure;

/// Whether a destination took anything when it was last asked; it is asked before it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DestinationState {
    /// It did.
    #[default]
    Ready,
    /// It is left alone for a while, and asked again by itself.
    Later {
        /// Why.
        why: Failure,
    },
    /// An operator paused it.
    Paused {
        /// Who, since when and why.
        why: Failure,
    },
    /// It needs a person.
    Stopped {
        /// Why, and what to do.
        why: Failure,
    },
}

impl DestinationState {
    /// For a label: `ready`, `later`, `paused` or `stopped`.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Later { .. } => "later",
            Self::Paused { .. } => "paused",
            Self::Stopped { .. } => "stopped",
        }
    }

    /// Why it takes nothing.
    #[must_use]
    pub const fn why(&self) -> Option<&Failure> {
        match self {
            Self::Ready => None,
            Self::Later { why } | Self::Paused { why } | Self::Stopped { why } => Some(why),
        }
    }

    /// True when a person who read of one need not read of the other: what is said in words may
    /// change each time.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let code = |state: &Self| state.why().map(|why| why.code().to_owned());
        self.as_str() == other.as_str() && code(self) == code(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_trouble_in_other_words_is_no_news() {
        let later = |code, text| DestinationState::Later { why: Failure::new(code, text) };
        assert!(later("QUOTA", "for 9 s").is_like(&later("QUOTA", "for 8 s")));
        assert!(!later("QUOTA", "for 9 s").is_like(&later("LOGIN", "for 9 s")));
        let stopped = DestinationState::Stopped { why: Failure::new("QUOTA", "for 9 s") };
        assert!(!stopped.is_like(&later("QUOTA", "for 9 s")));
        assert!(DestinationState::Ready.is_like(&DestinationState::default()));
    }
}
