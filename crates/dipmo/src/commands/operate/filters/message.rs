//! Which messages.

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use dipmo_domain::{Fingerprint, InboxStatus, Timestamp};

use super::{Words, failure, joined, time};
use crate::commands::operate::show::when::Moment;

/// What a message waits for beside its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Waits {
    /// The head of its order key.
    Held,
    /// A version that is missing.
    Parked,
}

impl Waits {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Parked => "parked",
        }
    }
}

/// Which messages; all that is said must hold.
#[derive(clap::Args, Debug, Default)]
pub(crate) struct MessageFilter {
    /// With one of these statuses, such as FAILED,SERDE_ERROR.
    #[arg(long, value_delimiter = ',', ignore_case = true, value_parser = statuses())]
    status: Vec<String>,
    /// Those that wait for something.
    #[arg(long, value_enum, value_name = "FOR")]
    waits: Option<Waits>,
    /// Of this topic.
    #[arg(long)]
    topic: Option<String>,
    /// Of this type.
    #[arg(long = "type", value_name = "TYPE")]
    event_type: Option<String>,
    /// Of this source system.
    #[arg(long, value_name = "SYSTEM")]
    source: Option<String>,
    /// Of this aggregate.
    #[arg(long, value_name = "ID")]
    aggregate: Option<String>,
    /// With this id of its sender.
    #[arg(long, value_name = "ID")]
    message_id: Option<String>,
    /// Whose last failure has this code.
    #[arg(long)]
    code: Option<String>,
    /// Of a group of failures, by its id in `dipmo failures list`.
    #[arg(long, value_name = "GROUP")]
    failure: Option<Fingerprint>,
    /// Received at or after this: a time, or how long ago, such as 2h.
    #[arg(long, value_name = "TIME")]
    since: Option<Moment>,
    /// Received before this.
    #[arg(long, value_name = "TIME")]
    until: Option<Moment>,
    /// With these letters in its payload, headers, key, ids or error.
    #[arg(long)]
    text: Option<String>,
}

impl MessageFilter {
    /// What it says.
    pub(crate) fn words(&self, now: Timestamp) -> Words {
        let Self { status, waits, topic, event_type, source, aggregate, message_id, code, .. } =
            self;
        Words::default()
            .say("status", joined(status))
            .say("waits", waits.map(Waits::as_str))
            .say("topic", topic.clone())
            .say("type", event_type.clone())
            .say("source", source.clone())
            .say("aggregate", aggregate.clone())
            .say("message_id", message_id.clone())
            .say("code", code.clone())
            .say("failure", failure(self.failure))
            .say("since", time(self.since, now))
            .say("until", time(self.until, now))
            .say("text", self.text.clone())
    }
}

fn statuses() -> PossibleValuesParser {
    PossibleValuesParser::new(InboxStatus::ALL.iter().map(|status| status.as_str()))
}
