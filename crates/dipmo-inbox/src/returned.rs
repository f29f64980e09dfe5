//! Dead letters that came back, and what became of the messages that they were written for.

use dipmo_domain::{DedupeKey, ErrorStage, InboxId};

use crate::{Ending, NewMessage};

/// A dead letter that was read from its topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// By what its message was recognised when the letter was written.
    pub first: DedupeKey,
    /// What it was written for. A letter brings back that and nothing later, so that it can be read
    /// any number of times.
    pub ended: Ended,
    /// The record of the letter, decoded by the rules of now.
    pub message: NewMessage,
}

/// How a message had ended when its letter was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It could not be decoded.
    Undecodable,
    /// It failed.
    Failed {
        /// How often it had been retried before: which of its failures this was.
        retried: u32,
    },
}

impl Ending {
    /// What a letter with this ending was written for.
    #[must_use]
    pub fn ended(&self) -> Ended {
        match self.stage {
            ErrorStage::ConsumerSerde => Ended::Undecodable,
            _ => Ended::Failed { retried: self.retried },
        }
    }
}

/// What became of the message of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BroughtBack {
    /// It had failed, and is due now as if it had never been tried.
    Retried(InboxId),
    /// It could not be decoded, and now it can: it is to be processed, or turned out to be a
    /// duplicate.
    Decoded(InboxId),
    /// It could not be decoded, and still cannot. Nothing changed.
    Undecodable(InboxId),
    /// It can be decoded now, but under the id of another message that has another content: kept as
    /// an incident. It stays as it is.
    Impostor(InboxId),
    /// A later message of its order key has been processed: a person has to decide. Nothing changed.
    TooLate(InboxId),
    /// It goes on already, has ended, or failed again since. Nothing changed.
    Left(InboxId),
    /// It was stored with another value than the letter has. Nothing changed.
    Differs(InboxId),
    /// Nothing is known of it: the letter is to be stored as a new message.
    Unknown,
}
