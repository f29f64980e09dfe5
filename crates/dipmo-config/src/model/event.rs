//! Events, and how older versions of them are read.

use std::num::NonZeroU16;

use crate::read::section;
use crate::{Expr, Fields, Map, Name, OneOrMany, Place, Problems, Spanned, ValueExpr};

section! {
    /// An event that a process knows.
    pub struct Event("an event") {
        /// What it tells, in a sentence.
        describe: Option<Spanned<String>>,
        /// The version of its contract that is described here. Defaults to 1.
        version: Option<Spanned<NonZeroU16>>,
        /// The oldest version that was ever sent. Defaults to 1.
        oldest: Option<Spanned<NonZeroU16>>,
        /// The fields of its payload: string, int, double, bool, timestamp or any; `?` behind it: or nothing;
        /// `[T]` is a list, `{…}` an object.
        #[example({"notificationId": "string", "customerId": "string?"})]
        fields: Fields,
        /// Which instance it is for, where that differs from the other events.
        instance: Option<Expr>,
        /// How a payload of a version becomes one of the next.
        #[example({"1": {"rename": {"clientNumber": "customerId"}}})]
        upcast: Map<Upcast, Version>,
    }
}

section! {
    /// What makes a payload of a version one of the next: `rename`, then `set`, then `remove`.
    pub struct Upcast("an upcast") {
        /// Fields that have a new name: old to new.
        rename: Map<Name, Name>,
        /// Fields that are set; `event` is the payload as it was.
        set: Map<ValueExpr, Name>,
        /// Fields that are no more.
        remove: OneOrMany<Name>,
    }
}

/// The version that an upcast begins with.
#[derive(Clone, Debug)]
pub struct Version {
    /// The number.
    pub number: u16,
    /// Where it stands.
    pub place: Place,
    text: String,
}

impl crate::MapKey for Version {
    fn read_key(text: &str, place: Place, problems: &mut Problems) -> Option<Self> {
        match text.parse().ok().filter(|number| *number > 0) {
            Some(number) => Some(Self { number, place, text: text.to_owned() }),
            None => {
                let message = format!("`{}` is no version", crate::node::cut(text));
                let hint = "the key is the version that the upcast begins with, such as `1`";
                problems.push(crate::read::invalid(place, message).hint(hint));
                None
            }
        }
    }

    fn pattern() -> &'static str {
        "^[1-9][0-9]{0,4}$"
    }

    fn as_str(&self) -> &str {
        &self.text
    }
}
