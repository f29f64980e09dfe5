//! How an operation ended: so many of each result, in words.

use std::process::ExitCode;

use crate::commands::operate::asking::{Desk, Told};
use crate::commands::operate::show::field::Object;
use crate::commands::operate::show::safe::one_line;
use crate::console::grouped;

/// What became of how many items.
const RESULTS: &str = "/results";

/// A result of an item.
struct Meaning {
    word: &'static str,
    /// It stands as it was asked for.
    is_so: bool,
    text: &'static str,
}

const fn meaning(word: &'static str, is_so: bool, text: &'static str) -> Meaning {
    Meaning { word, is_so, text }
}

const MEANINGS: [Meaning; 13] = [
    meaning("DONE", true, "done"),
    meaning("ALREADY_DONE", true, "stood so already"),
    meaning("DUPLICATE", true, "known already as another message, and ended as that"),
    meaning("ALREADY_ENDED", false, "had ended otherwise"),
    meaning("HELD", false, "held: goes on when the head of its key ends"),
    meaning(
        "OVERTAKEN",
        false,
        "overtaken: a later one of its key went on meanwhile; --force does it all the same",
    ),
    meaning("WRONG_STATUS", false, "in a status to which this cannot be done"),
    meaning("CHANGED", false, "left alone: changed since the operation began; look, and ask again"),
    meaning(
        "PAST_HORIZON",
        false,
        "from before ids began to be forgotten: should it come again, nobody would know it",
    ),
    meaning("ERASED", false, "erased: nothing is left that could be sent or processed"),
    meaning("UNDECODABLE", false, "still undecodable by the rules of the configuration"),
    meaning(
        "IMPOSTOR",
        false,
        "with the id of another message and other content; see the incidents",
    ),
    meaning("NOT_FOUND", false, "not there"),
];

/// Shows how an operation stands, and how to end because of it.
pub(crate) fn conclude(desk: &Desk, operation: &Told) -> ExitCode {
    let shown = desk.object(operation);
    desk.print(operation, text);
    if is_done(shown) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// True when it ended, and everything stands as it was asked for.
fn is_done(operation: Object<'_>) -> bool {
    operation.text("/state") == "ENDED" && operation.counts(RESULTS).all(|(word, _)| is_so(word))
}

fn text(operation: Object<'_>) -> String {
    let (id, state) = (operation.text("/id"), operation.text("/state"));
    let (met, items) = (operation.number("/met"), operation.number("/items"));
    let stands = match state.as_str() {
        "ENDED" => "has ended",
        "PAUSED" => "was paused",
        "CANCELLED" => "was cancelled",
        _ => "runs",
    };
    let mut text = format!("operation {id} {stands}: {} of {} met\n", grouped(met), grouped(items));
    text.push_str(&counts(operation));
    if state == "PAUSED" {
        text.push_str(&format!("next: dipmo operation resume {id} --reason WHY\n"));
    }
    if operation.counts(RESULTS).any(|(word, _)| !is_so(word)) {
        text.push_str(&format!(
            "next: dipmo operation show {id} --result RESULT, which tells which they are\n"
        ));
    }
    text
}

/// A line for each result: how many, its word, and what it means.
pub(crate) fn counts(operation: Object<'_>) -> String {
    let line = |(word, count): (&str, u64)| {
        let meaning = meaning_of(word);
        format!("  {:>9}  {:<13}  {meaning}\n", grouped(count), one_line(word))
    };
    operation.counts(RESULTS).map(line).collect()
}

/// What a result means.
pub(crate) fn meaning_of(word: &str) -> &'static str {
    MEANINGS.iter().find(|meaning| meaning.word == word).map_or("", |meaning| meaning.text)
}

fn is_so(word: &str) -> bool {
    MEANINGS.iter().any(|meaning| meaning.word == word && meaning.is_so)
}

#[cfg(test)]
mod tests {
    use dipmo_domain::{InboxId, InboxStatus, Timestamp};
    use dipmo_store::{Acted, Reparsed};
    use serde_json::json;

    use super::*;

    #[test]
    fn every_result_has_a_meaning() {
        let status = InboxStatus::Failed;
        let by = InboxId(1);
        let acted = [
            Acted::Done,
            Acted::AlreadyDone,
            Acted::AlreadyEnded,
            Acted::Held,
            Acted::Overtaken { by },
            Acted::WrongStatus(status),
            Acted::Changed,
            Acted::PastHorizon,
            Acted::Erased,
            Acted::NotFound,
        ];
        let reparsed = [
            Reparsed::Done,
            Reparsed::Duplicate(by),
            Reparsed::Impostor(by),
            Reparsed::Conflict { later: by },
            Reparsed::Undecodable,
            Reparsed::WrongStatus(status),
            Reparsed::NotFound,
        ];
        let words = acted.iter().map(Acted::word).chain(reparsed.iter().map(Reparsed::word));
        for word in words {
            assert!(MEANINGS.iter().any(|meaning| meaning.word == word), "{word}");
        }
    }

    #[test]
    fn it_is_done_when_everything_stands_as_it_was_asked_for() {
        for (state, results, expected) in [
            ("ENDED", json!({"DONE": 3, "ALREADY_DONE": 1}), true),
            ("ENDED", json!({}), true),
            ("ENDED", json!({"DONE": 3, "CHANGED": 1}), false),
            ("ENDED", json!({"A_NEW_WORD": 1}), false),
            ("CANCELLED", json!({"DONE": 3}), false),
        ] {
            let operation = json!({"state": state, "results": results});
            assert_eq!(is_done(Object::new(&operation, Timestamp::EPOCH)), expected, "{operation}");
        }
    }
}
