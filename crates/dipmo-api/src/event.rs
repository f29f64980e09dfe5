//! Events: what a process hears, typed, by the name and version that the message carries.

use serde::Deserializer;

/// The events of a process. Made by [`events!`](crate::events), not by hand.
pub trait ProcessEvent: Sized + Send + 'static {
    /// Every event type, with the version that the process understands.
    const KINDS: &'static [EventKind];

    /// Reads a payload of the current version; `None` for an event type that is not among them.
    fn read<'de, D>(event_type: &str, payload: D) -> Option<Result<Self, D::Error>>
    where
        D: Deserializer<'de>;
}

/// An event type, and the version of it that a process understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventKind {
    /// `EVENT_TYPE`.
    pub name: &'static str,
    /// The current version; older ones are brought up to it by [`Upcasters`](crate::Upcasters).
    pub version: u16,
}

/// Reads the `v1` of [`events!`](crate::events); in a constant, so that a bad one does not compile.
#[doc(hidden)]
#[must_use]
pub const fn version_of(text: &str) -> u16 {
    if let Some((v, digits)) = text.split_at_checked(1)
        && v.as_bytes()[0] == b'v'
        && let Ok(version @ 1..) = u16::from_str_radix(digits, 10)
    {
        return version;
    }
    panic!("a version is written as v1, v2 and so on")
}

/// Defines the events of a process.
///
/// Each event has the name and the current version that messages carry, and mostly a payload: any
/// type that serde can read. An event without a payload takes whatever the message brings.
///
/// ```
/// use dipmo_api::{ProcessEvent, events};
/// use serde::Deserialize;
///
/// /// Who pressed.
/// #[derive(Deserialize)]
/// pub struct Pressed {
///     /// The name of the person.
///     pub by: String,
/// }
///
/// events! {
///     /// What a lamp hears.
///     pub enum LampEvent {
///         /// Somebody pressed the switch.
///         Pressed(Pressed) = "Pressed" v2,
///         /// The fuse blew.
///         FuseBlown = "FuseBlown" v1,
///     }
/// }
///
/// assert_eq!(LampEvent::KINDS[0].version, 2);
/// let payload = serde_json::json!({ "by": "Ada" });
/// assert!(matches!(LampEvent::read("Pressed", payload), Some(Ok(LampEvent::Pressed(_)))));
/// ```
#[macro_export]
macro_rules! events {
    (
        $(#[$meta:meta])*
        $vis:vis enum $enum:ident {
            $($(#[$event_meta:meta])* $event:ident $(($payload:ty))? = $name:literal $version:ident),+
            $(,)?
        }
    ) => {
        $(#[$meta])*
        $vis enum $enum { $($(#[$event_meta])* $event $(($payload))?),+ }

        impl $crate::ProcessEvent for $enum {
            const KINDS: &'static [$crate::EventKind] = &[$($crate::EventKind {
                name: $name,
                version: $crate::macros::version_of(stringify!($version)),
            }),+];

            fn read<'de, D>(event_type: &str, payload: D) -> Option<Result<Self, D::Error>>
            where
                D: $crate::macros::Deserializer<'de>,
            {
                match event_type {
                    $($name => Some($crate::events!(@read $event payload $($payload)?)),)+
                    _ => None,
                }
            }
        }
    };
    (@read $event:ident $source:ident) => {
        <$crate::macros::IgnoredAny as $crate::macros::Deserialize>::deserialize($source)
            .map(|_| Self::$event)
    };
    (@read $event:ident $source:ident $payload:ty) => {
        <$payload as $crate::macros::Deserialize>::deserialize($source).map(Self::$event)
    };
}
