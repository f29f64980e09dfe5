//! Editing a message that failed, before it is tried again. What came is kept.

use async_trait::async_trait;
use dipmo_domain::{InboxId, InboxStatus, Json, StoreError, Timestamp};

use super::audit::AuditEntry;
use crate::{Acted, Standing};

/// What a message is to say instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Which message.
    pub message: InboxId,
    /// How often it had been edited when it was looked at.
    pub edits: u32,
    /// `PAYLOAD` from now on.
    pub payload: Json,
    /// `EVENT_TYPE` from now on, at most 200 characters; `None` leaves it.
    pub event_type: Option<String>,
    /// Also when a later one of its key went on meanwhile.
    pub force: bool,
    /// Who and why, without the payload.
    pub entry: AuditEntry,
}

impl Edit {
    /// What becomes of the wish, by where the message stands and how often it was edited.
    #[must_use]
    pub fn judge(&self, standing: &Standing<InboxStatus>, edits: u32) -> Acted<InboxStatus> {
        match standing.status {
            InboxStatus::Processed => Acted::AlreadyEnded,
            InboxStatus::Failed if edits != self.edits => Acted::Changed,
            InboxStatus::Failed => standing.retry(self.force),
            _ if standing.held => Acted::Held,
            status => Acted::WrongStatus(status),
        }
    }
}

/// What a message said when it came, and who edited it last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    /// `PAYLOAD`, to the byte.
    pub payload: Option<Json>,
    /// `EVENT_TYPE`.
    pub event_type: Option<String>,
    /// How often it was edited.
    pub edits: u32,
    /// By whom, the last time.
    pub edited_by: String,
    /// When, the last time.
    pub edited_at: Timestamp,
}

/// Messages in the hands of a person.
#[async_trait]
pub trait Edits: Send + Sync {
    /// Lets a message that failed say something else and tries it again, with the entry of the audit, in one
    /// transaction. It keeps its ids and its place in the order of its key, and what came is kept beside it. A dry
    /// run only tells what would become of the wish.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn edit(&self, edit: &Edit, dry_run: bool) -> Result<Acted<InboxStatus>, StoreError>;

    /// What a message said when it came, if it was edited since.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn original(&self, message: InboxId) -> Result<Option<Original>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_and_was_looked_at_is_edited() {
        let entry = AuditEntry {
            actor: "ann".to_owned(),
            role: "operator".to_owned(),
            action: "message.edit".to_owned(),
            target: "inbox/1".to_owned(),
            reason: "a test".to_owned(),
            detail: Json::null(),
        };
        let edit = Edit {
            message: InboxId(1),
            edits: 1,
            payload: Json::null(),
            event_type: None,
            force: false,
            entry,
        };
        let failed = Standing { aside: true, ..Standing::straight(InboxStatus::Failed) };
        assert_eq!(edit.judge(&failed, 1), Acted::Done);
        assert_eq!(edit.judge(&failed, 2), Acted::Changed, "somebody else edited it");
        let overtaken = Standing { overtaken_by: Some(InboxId(9)), ..failed };
        assert_eq!(edit.judge(&overtaken, 1), Acted::Overtaken { by: InboxId(9) });
        let force = Edit { force: true, ..edit.clone() };
        assert_eq!(force.judge(&overtaken, 1), Acted::Done);
        for (status, held, expected) in [
            (InboxStatus::Processed, false, Acted::AlreadyEnded),
            (InboxStatus::Retry, true, Acted::Held),
            (InboxStatus::Retry, false, Acted::WrongStatus(InboxStatus::Retry)),
            (InboxStatus::SerdeError, false, Acted::WrongStatus(InboxStatus::SerdeError)),
        ] {
            let standing = Standing { held, ..Standing::straight(status) };
            assert_eq!(edit.judge(&standing, 1), expected);
        }
    }
}
