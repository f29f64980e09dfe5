//! Which units.

use clap::builder::PossibleValuesParser;
use dipmo_domain::{Fingerprint, OutboxStatus, Timestamp};

use super::{Words, failure, joined, time};
use crate::commands::operate::show::when::Moment;

/// Which units; all that is said must hold.
#[derive(clap::Args, Debug, Default)]
pub(crate) struct UnitFilter {
    /// With one of these statuses, such as PENDING,FAILED.
    #[arg(long, value_delimiter = ',', ignore_case = true, value_parser = statuses())]
    status: Vec<String>,
    /// Those that wait for something: `held`, behind the head of their key.
    #[arg(long, value_name = "FOR", value_parser = ["held"])]
    waits: Option<String>,
    /// To this destination.
    #[arg(long)]
    destination: Option<String>,
    /// Of intents of this type.
    #[arg(long = "type", value_name = "TYPE")]
    event_type: Option<String>,
    /// Of intents of this aggregate.
    #[arg(long, value_name = "ID")]
    aggregate: Option<String>,
    /// With this key of a record.
    #[arg(long, value_name = "KEY")]
    record: Option<String>,
    /// Of this intent.
    #[arg(long, value_name = "ID")]
    intent: Option<i64>,
    /// Of intents that this message caused.
    #[arg(long, value_name = "MESSAGE")]
    cause: Option<i64>,
    /// Whose last failure has this code.
    #[arg(long)]
    code: Option<String>,
    /// Of a group of failures, by its id in `dipmo failures list`.
    #[arg(long, value_name = "GROUP")]
    failure: Option<Fingerprint>,
    /// Written at or after this: a time, or how long ago, such as 2h.
    #[arg(long, value_name = "TIME")]
    since: Option<Moment>,
    /// Written before this.
    #[arg(long, value_name = "TIME")]
    until: Option<Moment>,
    /// With these letters in its payload, headers, keys, ids or error.
    #[arg(long)]
    text: Option<String>,
}

impl UnitFilter {
    /// What it says.
    pub(crate) fn words(&self, now: Timestamp) -> Words {
        let Self { status, waits, destination, event_type, aggregate, record, code, .. } = self;
        Words::default()
            .say("status", joined(status))
            .say("waits", waits.clone())
            .say("destination", destination.clone())
            .say("type", event_type.clone())
            .say("aggregate", aggregate.clone())
            .say("record", record.clone())
            .say("intent", self.intent)
            .say("cause", self.cause)
            .say("code", code.clone())
            .say("failure", failure(self.failure))
            .say("since", time(self.since, now))
            .say("until", time(self.until, now))
            .say("text", self.text.clone())
    }
}

fn statuses() -> PossibleValuesParser {
    PossibleValuesParser::new(OutboxStatus::ALL.iter().map(|status| status.as_str()))
}
