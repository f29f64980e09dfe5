//! States: their names, the one they begin in and the edges between them, from one definition.
//!
//! **Invariant:** the CHECK of the table, the diagram and the check of every transition are all
//! read from what [`states!`](crate::states) made; nothing repeats a name or an edge.

use std::fmt;

/// The states of a process. Made by [`states!`](crate::states), not by hand.
pub trait ProcessState: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// Every state, in the order of the definition.
    const ALL: &'static [Self];
    /// The state of an instance that nothing has happened to yet.
    const INITIAL: Self;
    /// Every step that an instance may take.
    const EDGES: &'static [Edge];

    /// The name in the `STATE` column.
    fn name(self) -> &'static str;

    /// The state of a name in the `STATE` column; `None` for a name that is not among them.
    #[must_use]
    fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|state| state.name() == name)
    }
}

/// A step from one state to another, or to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The name of the state that is left.
    pub from: &'static str,
    /// The name of the state that is entered.
    pub to: &'static str,
    /// What the diagram writes beside the arrow.
    pub label: Option<&'static str>,
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} --> {}", self.from, self.to)?;
        self.label.map_or(Ok(()), |label| write!(f, ": {label}"))
    }
}

/// Defines the states of a process and the edges between them.
///
/// Each state has its name as it stands in the database. An edge from a state to itself is written
/// like any other, and is what a process needs that acts without moving on.
///
/// ```
/// use dipmo_api::{ProcessState, states};
///
/// states! {
///     /// How far a lamp has come.
///     pub enum LampState {
///         /// Dark.
///         Off = "OFF",
///         /// Lit.
///         On = "ON",
///         /// Broken for good.
///         Broken = "BROKEN",
///     }
///     initial Off;
///     Off => On: "press()";
///     On => Off: "press()";
///     On => Broken;
/// }
///
/// assert_eq!(LampState::INITIAL.name(), "OFF");
/// assert_eq!(LampState::parse("ON"), Some(LampState::On));
/// assert_eq!(LampState::EDGES[0].to_string(), "OFF --> ON: press()");
/// ```
#[macro_export]
macro_rules! states {
    (
        $(#[$meta:meta])*
        $vis:vis enum $enum:ident {
            $($(#[$state_meta:meta])* $state:ident = $name:literal),+ $(,)?
        }
        initial $initial:ident;
        $($from:ident => $to:ident $(: $label:literal)?;)*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $vis enum $enum { $($(#[$state_meta])* $state),+ }

        impl $enum {
            const fn state_name(self) -> &'static str {
                match self { $(Self::$state => $name),+ }
            }
        }

        impl $crate::ProcessState for $enum {
            const ALL: &'static [Self] = &[$(Self::$state),+];
            const INITIAL: Self = Self::$initial;
            const EDGES: &'static [$crate::Edge] = &[$($crate::Edge {
                from: Self::$from.state_name(),
                to: Self::$to.state_name(),
                label: $crate::states!(@label $($label)?),
            }),*];

            fn name(self) -> &'static str {
                self.state_name()
            }
        }
    };
    (@label) => { None };
    (@label $label:literal) => { Some($label) };
}
