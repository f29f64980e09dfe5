//! What messages would do that are to be replayed, a line each.

use std::fmt::Write as _;

use crate::commands::operate::show::field::Object;
use crate::commands::operate::show::safe::one_line;

/// What whoever replays something should know before.
pub(super) const AGAIN: &str = "  each is a new message, decided by where its instance stands now: what it sends goes out under new ids\n";

/// The lines, or nothing where nobody knows the processes.
pub(super) fn text(preview: Object<'_>) -> String {
    let mut text = String::new();
    for told in preview.list("/preview/rehearsal") {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {:>9}  {}", told.text("/message"), line(told));
    }
    if text.is_empty() { text } else { format!("what would come of it now:\n{text}") }
}

fn line(told: Object<'_>) -> String {
    let outcome = told.text("/outcome");
    let mut line = match told.text("/process").as_str() {
        "" => outcome,
        process => format!("{process} {}: {outcome}", one_line(&told.text("/instance"))),
    };
    let listed = |at: &str| told.list(at).map(|it| it.text("")).collect::<Vec<_>>();
    let path = listed("/path");
    if !path.is_empty() {
        let _ = write!(line, " {}", path.join(" → "));
    }
    let why = told.text("/why");
    if !why.is_empty() {
        let _ = write!(line, " ({})", one_line(&why));
    }
    for said in listed("/writes").into_iter().chain(listed("/timers")) {
        let _ = write!(line, ", {}", one_line(&said));
    }
    for sent in told.list("/sends") {
        let (event, to) = (sent.text("/event"), sent.text("/destination"));
        let _ = write!(line, ", sends {} to {}", one_line(&event), one_line(&to));
        match sent.number("/records") {
            0 => {}
            records => {
                let _ = write!(line, " about {records} records");
            }
        }
    }
    for fact in listed("/unknown_facts") {
        let _ = write!(line, ", without the fact {}", one_line(&fact));
    }
    line
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Timestamp;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_says_where_it_goes_and_what_it_sends() {
        let told = json!({"preview": {"rehearsal": [
            {"message": 7, "outcome": "GOES", "why": null, "process": "ORDER", "instance": "O-1",
             "path": ["PAID", "SENT"], "writes": ["writes ORDERS"], "timers": ["sets reminder"],
             "sends": [{"event": "OrderSent", "destination": "KAFKA:orders", "records": 0},
                       {"event": "Sync", "destination": "HTTP:SFDC:Auto:Order", "records": 3}],
             "unknown_facts": ["stock"]},
            {"message": 8, "outcome": "IGNORED", "why": null, "process": null, "instance": null,
             "path": [], "writes": [], "timers": [], "sends": [], "unknown_facts": []},
        ]}});
        let expected = "what would come of it now:\n          7  ORDER O-1: GOES PAID → SENT, writes ORDERS, sets reminder, \
                        sends OrderSent to KAFKA:orders, sends Sync to HTTP:SFDC:Auto:Order about 3 records, without the \
                        fact stock\n          8  IGNORED\n";
        assert_eq!(text(Object::new(&told, Timestamp::EPOCH)), expected);
        let nobody = json!({"preview": {"items": 1}});
        assert_eq!(text(Object::new(&nobody, Timestamp::EPOCH)), "");
    }
}
