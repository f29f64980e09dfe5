//! Decoding again: what becomes of messages that could not be decoded when they came.

use std::collections::HashMap;

use dipmo_domain::{InboxId, InboxStatus};
use dipmo_inbox::{Body, NewMessage};

use crate::Standing;

/// A message that could not be decoded when it came, and what its bytes are decoded to now.
pub type Decoded = (InboxId, NewMessage);

/// What became of one message of [`Operate::reparse`](crate::Operate::reparse).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reparsed {
    /// It is to be processed, under its real id and in its old place.
    Done,
    /// Its real id is known as that of another message: it ended as DUPLICATE.
    Duplicate(InboxId),
    /// Its real id is known as that of another message, and that has another content: kept as an
    /// incident. It stays as it is, and a person decides; force changes nothing about it.
    Impostor(InboxId),
    /// A later message of its order key has been processed. Nothing changed; it is done by force.
    Conflict {
        /// The first of those.
        later: InboxId,
    },
    /// What was given is not decoded either. Nothing changed.
    Undecodable,
    /// It is not SERDE_ERROR, or not any more. Nothing changed.
    WrongStatus(InboxStatus),
    /// There is no such message.
    NotFound,
}

impl Reparsed {
    /// A word for it, as operations keep it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Done => "DONE",
            Self::Duplicate(_) => "DUPLICATE",
            Self::Impostor(_) => "IMPOSTOR",
            Self::Conflict { .. } => "OVERTAKEN",
            Self::Undecodable => "UNDECODABLE",
            Self::WrongStatus(_) => "WRONG_STATUS",
            Self::NotFound => "NOT_FOUND",
        }
    }
}

/// What speaks against decoding messages again, for each in its place; `None` is nothing so far.
/// `later` has the first message of the same order key that was processed before its turn.
#[must_use]
pub fn objections(
    messages: &[Decoded],
    standings: &HashMap<InboxId, Standing<InboxStatus>>,
    later: &HashMap<InboxId, InboxId>,
    force: bool,
) -> Vec<Option<Reparsed>> {
    let mut seen = HashMap::new();
    let object = |(id, message): &Decoded| match standings.get(id).map(|it| it.status) {
        None => Some(Reparsed::NotFound),
        Some(status) if status != InboxStatus::SerdeError => Some(Reparsed::WrongStatus(status)),
        Some(_) if matches!(message.body, Body::Undecodable { .. }) => Some(Reparsed::Undecodable),
        Some(_) => later
            .get(id)
            .filter(|_| !force)
            .map(|later| Reparsed::Conflict { later: *later })
            .or_else(|| {
                seen.insert(*id, ()).map(|()| Reparsed::WrongStatus(InboxStatus::Received))
            }),
    };
    messages.iter().map(object).collect()
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Json;
    use dipmo_inbox::{Identity, Record};

    use super::*;

    #[test]
    fn each_has_its_reason() {
        let decoded = NewMessage::decoded(&Record::default(), &Identity::default(), Json::null());
        let poison = Record { value: Some(b"\xff".to_vec()), ..Record::default() };
        let poison = NewMessage::from_record(&poison, &Identity::default());
        let serde = Standing { aside: true, ..Standing::straight(InboxStatus::SerdeError) };
        let ids: Vec<InboxId> = (0..4).map(InboxId).collect();
        let mut standings: HashMap<_, _> = ids.iter().map(|id| (*id, serde)).collect();
        standings.insert(ids[1], Standing::straight(InboxStatus::Processed));
        let later = HashMap::from([(ids[2], InboxId(9))]);
        let messages = [
            (ids[0], poison),
            (ids[1], decoded.clone()),
            (ids[2], decoded.clone()),
            (ids[3], decoded.clone()),
            (ids[3], decoded.clone()),
            (InboxId(99), decoded),
        ];
        let ended = Some(Reparsed::WrongStatus(InboxStatus::Processed));
        let twice = Some(Reparsed::WrongStatus(InboxStatus::Received));
        let conflict = Some(Reparsed::Conflict { later: InboxId(9) });
        let (not_yet, nobody) = (Some(Reparsed::Undecodable), Some(Reparsed::NotFound));
        let found = objections(&messages, &standings, &later, false);
        assert_eq!(found, [not_yet, ended, conflict, None, twice, nobody]);
        assert_eq!(objections(&messages, &standings, &later, true)[2], None);
    }
}
