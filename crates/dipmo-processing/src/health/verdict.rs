//! What is said of an instance.

/// How an instance is, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// All that is to be said; empty when all is well.
    pub reasons: Vec<Reason>,
}

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What it is, in one word that does not change: see `docs/operations.md`.
    pub name: &'static str,
    /// Whom it is about: a part, `store`, `inbox` or a destination.
    pub about: String,
    /// What is known, for a person. Never a payload.
    pub text: String,
    /// What follows.
    pub effect: Effect,
}

/// What follows from a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// This process does not get out of it by itself: start another in its place.
    Dead,
    /// It works on nothing now, and goes on by itself once that is mended.
    Unready,
    /// It works, but somebody should look.
    Shown,
}

impl Verdict {
    /// True while the process can go on by itself.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !self.has(Effect::Dead)
    }

    /// True while it does what it is there for.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.is_live() && !self.has(Effect::Unready)
    }

    fn has(&self, effect: Effect) -> bool {
        self.reasons.iter().any(|reason| reason.effect == effect)
    }
}

impl Effect {
    /// For a label: `dead`, `unready` or `shown`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dead => "dead",
            Self::Unready => "unready",
            Self::Shown => "shown",
        }
    }
}
