//! `pause` and `resume`, of whatever can be held back.

use std::process::ExitCode;

use serde_json::json;

use super::Ended;
use super::asking::{Desk, Request};
use super::show::field::Object;

/// What is held back or let go, and why.
#[derive(clap::Args)]
pub(crate) struct Steer {
    /// Its name, as the list shows it.
    name: String,
    /// Why, in your own words: the audit keeps it.
    #[arg(long, value_name = "WHY")]
    reason: String,
}

impl Steer {
    /// Lets it rest, on every instance, until it is resumed.
    pub(crate) async fn pause(&self, desk: &Desk, of: &str) -> Ended {
        self.say(desk, of, "pause").await
    }

    /// Lets it go on.
    pub(crate) async fn resume(&self, desk: &Desk, of: &str) -> Ended {
        self.say(desk, of, "resume").await
    }

    async fn say(&self, desk: &Desk, of: &str, word: &str) -> Ended {
        let body = json!({ "reason": self.reason });
        let told = desk.ask(&Request::post(&[of, &self.name, word], &body)).await?;
        desk.print(&told, text);
        Ok(ExitCode::SUCCESS)
    }
}

/// How it stands now.
fn text(told: Object<'_>) -> String {
    let (name, pause) = (told.text("/name"), pause(told.below("paused")));
    match (told.text("/changed") == "true", pause.is_empty()) {
        (true, false) => format!("{name} is paused; every instance obeys within a few seconds"),
        (true, true) => format!("{name} goes on; every instance obeys within a few seconds"),
        (false, false) => format!("{name} was paused already, {pause}"),
        (false, true) => format!("{name} was not paused"),
    }
}

/// What operators say of a destination, in a few words.
pub(crate) fn note(backlog: Object<'_>, destination: &str) -> String {
    let valves = backlog.below("valves");
    let breaker = valves.below("breakers").below(destination);
    let rate = valves.below("rates").below(destination);
    let calls = rate.text("/per_second");
    let is_open = breaker.text("/state") == "open";
    let said = [
        ("paused".to_owned(), backlog.below("paused").below("destinations").below(destination)),
        ("breaker open".to_owned(), if is_open { breaker } else { breaker.below("none") }),
        (format!("{calls} calls a second"), rate),
    ];
    let said = said.iter().map(|(what, who)| (what, pause(*who)));
    let said = said.filter(|(_, who)| !who.is_empty()).map(|(what, who)| format!("{what} {who}"));
    said.collect::<Vec<_>>().join("; ")
}

/// Who said something, since when and why; empty for nobody.
pub(crate) fn pause(pause: Object<'_>) -> String {
    let by = pause.text("/by");
    if by.is_empty() {
        return by;
    }
    format!("by {by} since {}: {}", pause.at("/since"), pause.text("/reason"))
}
