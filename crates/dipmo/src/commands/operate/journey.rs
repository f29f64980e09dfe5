//! `dipmo inbox journey`: where a message came from, and all that came of it.

use std::fmt::Write as _;
use std::process::ExitCode;

use super::Ended;
use super::asking::{Desk, Request};
use super::show::field::Object;

/// Which message.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Its id.
    id: i64,
}

/// Shows the journey of a message.
pub(crate) async fn show(desk: &Desk, args: &Args) -> Ended {
    let told = desk.ask(&Request::get(&["messages", &args.id.to_string(), "journey"])).await?;
    desk.print(&told, text);
    desk.note("next: dipmo inbox show ID, dipmo outbox show ID");
    Ok(ExitCode::SUCCESS)
}

fn text(journey: Object<'_>) -> String {
    let mut text = String::new();
    for origin in journey.list("/came_from") {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(text, "came from {}", came_from(origin));
    }
    message(&mut text, journey.below("tree"), 0);
    text.push('\n');
    for step in journey.list("/steps") {
        let what = if step.text("/side") == "inbox" { "message" } else { "intent" };
        let line = format!(
            "{:<27}  {:<10}  {what} {:<8}  {}",
            step.text("/at"),
            step.text("/what"),
            step.text("/id"),
            step.text("/note"),
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if journey.text("/cut") == "true" {
        text.push_str(
            "there is more than is shown; `dipmo outbox list --cause ID` goes on from a message\n",
        );
    }
    text
}

fn came_from(origin: Object<'_>) -> String {
    let from = origin.text("/from");
    let how = match origin.text("/how").as_str() {
        "answer" => format!("an answer about intent {from}"),
        _ => format!("the delivery of unit {from}"),
    };
    match origin.text("/cause/id") {
        cause if cause.is_empty() => how,
        cause => format!("{how}, which message {cause} caused"),
    }
}

/// A message, and below it what it caused.
fn message(text: &mut String, node: Object<'_>, depth: usize) {
    let message = node.below("message");
    let how = match node.text("/how").as_str() {
        "answer" => " as an answer",
        "delivery" => " by delivery",
        _ => "",
    };
    let stands = match message.text("/status") {
        status if status.is_empty() => "history by now".to_owned(),
        status => joined(&[&status, &message.text("/outcome"), &message.failure()]),
    };
    let about = joined(&[&message.text("/event_type"), &message.text("/aggregate_id")]);
    line(text, depth, &format!("message {}{how}", node.text("/id")), &about, &stands);
    node.list("/intents").for_each(|it| intent(text, it, depth + 1));
}

/// An intent, and below it its records and what they became.
fn intent(text: &mut String, node: Object<'_>, depth: usize) {
    let about = joined(&[&node.text("/event_type"), "to", &node.text("/destination")]);
    let stands = joined(&[&node.text("/status"), &node.failure()]);
    line(text, depth, &format!("intent {}", node.text("/id")), &about, &stands);
    for unit in node.list("/units").filter(|unit| !unit.text("/record").is_empty()) {
        let stands = joined(&[&unit.text("/status"), &unit.text("/external_ref"), &unit.failure()]);
        line(
            text,
            depth + 1,
            &format!("unit {}", unit.text("/id")),
            &unit.text("/record"),
            &stands,
        );
    }
    match node.number("/more_units") {
        0 => {}
        more => line(text, depth + 1, &format!("{more} more units"), "", ""),
    }
    node.list("/became").for_each(|it| message(text, it, depth + 1));
}

fn line(text: &mut String, depth: usize, what: &str, about: &str, stands: &str) {
    let parts = [what, about, stands].into_iter().filter(|part| !part.is_empty());
    let line: Vec<&str> = parts.collect();
    let _ = writeln!(text, "{}{}", "  ".repeat(depth), line.join(" · "));
}

/// What there is of some words.
fn joined(words: &[&str]) -> String {
    let words: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
