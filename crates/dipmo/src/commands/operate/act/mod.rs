//! What is done to messages or units: shown, asked for, begun and followed to its end.

mod begin;
mod follow;
mod outcome;
mod rehearsal;

use std::num::NonZeroU32;

use dipmo_domain::Timestamp;
use dipmo_store::Side;
use serde_json::{Value, json};

use super::asking::Refused;
use super::filters::{MessageFilter, UnitFilter, Words};

pub(crate) use begin::{act, is_meant, somebody_can_be_asked};
pub(crate) use follow::{LEFT, follow};
pub(crate) use outcome::{conclude, counts, meaning_of};

/// To which messages, and how.
#[derive(clap::Args, Debug)]
pub(crate) struct OnMessages {
    /// The messages, by their ids; or say a filter.
    #[arg(value_name = "ID")]
    ids: Vec<i64>,
    #[command(flatten)]
    filter: MessageFilter,
    #[command(flatten)]
    pub(crate) how: How,
}

/// To which units, and how.
#[derive(clap::Args, Debug)]
pub(crate) struct OnUnits {
    /// The units, by their ids; or say a filter.
    #[arg(value_name = "ID")]
    ids: Vec<i64>,
    #[command(flatten)]
    filter: UnitFilter,
    #[command(flatten)]
    pub(crate) how: How,
}

/// How something is done.
#[derive(clap::Args, Debug)]
pub(crate) struct How {
    /// Why, in your own words: the audit keeps it.
    #[arg(long, value_name = "WHY", required_unless_present = "dry_run")]
    reason: Option<String>,
    /// Also where later ones of the same key went on meanwhile; a replay then forgets the version of its producer.
    #[arg(long)]
    force: bool,
    /// So many a second at most.
    #[arg(long, value_name = "NUMBER")]
    rate: Option<NonZeroU32>,
    /// Only show what it would be about.
    #[arg(long)]
    dry_run: bool,
    /// Do it without being asked whether it is meant.
    #[arg(long)]
    yes: bool,
}

impl OnMessages {
    /// What is meant, as the API wants it.
    pub(crate) fn target(&self, now: Timestamp) -> Result<Value, Refused> {
        target(Side::Inbox, &self.ids, self.filter.words(now))
    }
}

impl OnUnits {
    /// What is meant, as the API wants it.
    pub(crate) fn target(&self, now: Timestamp) -> Result<Value, Refused> {
        target(Side::Outbox, &self.ids, self.filter.words(now))
    }
}

/// Ids or a filter: both could contradict each other, and neither would mean everything.
fn target(side: Side, ids: &[i64], filter: Words) -> Result<Value, Refused> {
    let (what, word) = match side {
        Side::Inbox => ("messages", "inbox"),
        Side::Outbox => ("units", "outbox"),
    };
    match (ids.is_empty(), filter.is_empty()) {
        (true, true) => {
            let message = format!("nothing says which {what} are meant");
            let hint = "say their ids, or a filter such as --failure GROUP or --code CODE; `dipmo failures list` shows \
                        what is stuck";
            Err(Refused::wrong(message, hint))
        }
        (false, false) => {
            let message = format!("{what} are said by their ids and by a filter");
            Err(Refused::wrong(message, "say one of both"))
        }
        (false, true) => Ok(json!({ "ids": { "side": word, "ids": ids } })),
        (true, false) => Ok(json!({ what: filter.object() })),
    }
}
