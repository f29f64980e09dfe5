//! From what is meant to an operation that runs: a preview, a question, and then it begins.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, stderr, stdin};
use std::process::ExitCode;

use dipmo_store::admin::Act;
use serde_json::{Value, json};

use super::{How, LEFT, conclude, follow, rehearsal};
use crate::commands::operate::Ended;
use crate::commands::operate::asking::{Desk, Refused, Request};
use crate::commands::operate::leaving::leaving;
use crate::commands::operate::show::field::Object;
use crate::commands::operate::show::safe::one_line;
use crate::console::{err, grouped};

/// What whoever sends something again should know before.
const SECOND: &str = "  each is a second delivery under a new id: whoever receives it may do it twice, and what went out \
                      since is not sent after it\n";

/// Does something to what is meant, and follows it to its end.
pub(crate) async fn act(desk: &Desk, act: Act, target: Value, how: &How) -> Ended {
    if !how.dry_run && !how.yes {
        somebody_can_be_asked()?;
    }
    let wish = |dry_run: bool| {
        let body = json!({
            "act": act.as_str(),
            "target": target,
            "force": how.force,
            "per_second": how.rate,
            "reason": how.reason.as_deref().unwrap_or_default(),
            "dry_run": dry_run,
        });
        Request::post(&["operations"], &body)
    };
    if how.dry_run {
        let told = desk.ask(&wish(true)).await?;
        desk.print(&told, |shown| text(act, shown));
        return Ok(ExitCode::SUCCESS);
    }
    if !how.yes {
        let told = desk.ask(&wish(true)).await?;
        let preview = desk.object(&told);
        err(&text(act, preview));
        let is_nothing = preview.number("/preview/items") == 0;
        if is_nothing || !is_meant(&format!("{} them", act.as_str())) {
            err("nothing was changed");
            return Ok(if is_nothing { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
    }
    // From here on whoever leaves is told what becomes of it.
    let leaving = leaving();
    let told = desk.ask(&wish(false)).await?;
    let operation = desk.object(&told);
    let (id, items) = (operation.integer("/operation/id"), operation.number("/operation/items"));
    desk.note(&format!("operation {id} began: {} to {}", grouped(items), act.as_str()));
    match follow(desk, id, &leaving).await? {
        Some(operation) => Ok(conclude(desk, &operation)),
        None => Ok(ExitCode::from(LEFT)),
    }
}

/// What it would be about.
fn text(act: Act, told: Object<'_>) -> String {
    let warning = match act {
        Act::Resend => SECOND,
        Act::Replay => rehearsal::AGAIN,
        _ => "",
    };
    let (act, items) = (act.as_str(), told.number("/preview/items"));
    if items == 0 {
        return format!(
            "nothing to {act}: what matches stands in no status to which this can be done"
        );
    }
    let mut text = format!("{} to {act}\n{warning}", grouped(items));
    if told.text("/preview/too_many") == "true" {
        text.push_str("  these are too many for one operation: narrow the filter, such as by --since and --until\n");
    }
    for (status, count) in told.counts("/preview/by_status") {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {:>9}  {}", grouped(count), one_line(status));
    }
    text.push_str(&rehearsal::text(told));
    let sample: Vec<String> = told.list("/preview/sample").map(|id| id.text("")).collect();
    let more = if items > sample.len() as u64 { ", …" } else { "" };
    text + &format!("ids: {}{more}", sample.join(", "))
}

/// Refuses where nobody sits who could say whether it is meant.
pub(crate) fn somebody_can_be_asked() -> Result<(), Refused> {
    if stdin().is_terminal() && stderr().is_terminal() {
        return Ok(());
    }
    let message =
        "this would change something, and nobody is here who could be asked whether it is meant";
    let hint = "--yes does it without asking; --dry-run shows what it would be about";
    Err(Refused::wrong(message, hint))
}

/// Asks whoever sits here.
pub(crate) fn is_meant(what: &str) -> bool {
    err(&format!("{what}? Type yes:"));
    let mut said = String::new();
    // Who says nothing does not mean it.
    let heard = stdin().read_line(&mut said).is_ok();
    heard && matches!(said.trim(), "y" | "yes")
}
