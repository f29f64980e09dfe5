//! The statuses of the seeds, and the outcome that stands beside them.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A name in the database that this version does not know.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name:?} is not a known {kind}")]
pub struct UnknownName {
    /// Which set of names was asked.
    pub kind: &'static str,
    /// The name that is not in it.
    pub name: String,
}

macro_rules! names {
    ($(#[$doc:meta])* $type:ident, $kind:literal { $($(#[$vdoc:meta])* $variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $type { $($(#[$vdoc])* $variant),+ }

        impl $type {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name in the database.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(name: &str) -> Result<Self, UnknownName> {
                match name {
                    $($name => Ok(Self::$variant),)+
                    _ => Err(UnknownName { kind: $kind, name: name.to_owned() }),
                }
            }
        }
    };
}

names! {
    /// `INBOX.STATUS`.
    InboxStatus, "inbox status" {
        /// Stored and waiting to be processed, or held behind another message.
        Received = "RECEIVED",
        /// An attempt failed for now; due again at `NEXT_ATTEMPT_AT`.
        Retry = "RETRY",
        /// Failed for good; needs a person.
        Failed = "FAILED",
        /// Ended; `OUTCOME` says how.
        Processed = "PROCESSED",
        /// The bytes could not be decoded; they are kept in `RAW_PAYLOAD_BASE64`.
        SerdeError = "SERDE_ERROR",
    }
}

names! {
    /// `OUTBOX.STATUS`. There is no RETRY: a transient failure stays `PENDING` with a later due time.
    OutboxStatus, "outbox status" {
        /// Not delivered yet, or waiting for its next attempt.
        Pending = "PENDING",
        /// Acknowledged by the destination.
        Dispatched = "DISPATCHED",
        /// Refused for good; needs a person.
        Failed = "FAILED",
    }
}

names! {
    /// `INBOX.ERROR_STAGE`.
    ErrorStage, "error stage" {
        /// The record could not be decoded.
        ConsumerSerde = "CONSUMER_SERDE",
        /// The process failed or refused.
        Business = "BUSINESS",
    }
}

names! {
    /// `INBOX.OUTCOME`: how a PROCESSED message ended.
    Outcome, "outcome" {
        /// The process advanced, or had nothing to do.
        Done = "DONE",
        /// The process had already taken this step.
        Duplicate = "DUPLICATE",
        /// The producer's version is not newer than the last one seen.
        Stale = "STALE",
        /// Nobody subscribes to this event type.
        Ignored = "IGNORED",
        /// A person, or the `skip` policy, let it pass.
        Skipped = "SKIPPED",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        for status in InboxStatus::ALL {
            assert_eq!(status.as_str().parse::<InboxStatus>().as_ref(), Ok(status));
        }
        assert_eq!(
            "DONE?".parse::<Outcome>().unwrap_err().to_string(),
            "\"DONE?\" is not a known outcome"
        );
    }
}
