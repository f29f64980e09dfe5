//! Follows an operation until it runs no more. Whoever leaves with Ctrl-C leaves it running.

use std::time::Duration;

use dipmo_domain::{Coded as _, StoreError};
use dipmo_processing::operations::Conclusion;
use dipmo_store::admin::{Operation, OperationId};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::commands::operate::asking::{Desk, Local, Refused, Request, Told};
use crate::console::err;

/// How to end when an operation was left running.
pub(crate) const LEFT: u8 = 130;
/// How often to ask how far it is.
const EVERY: Duration = Duration::from_millis(500);
/// Whoever does not answer for so long is not waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until an operation runs no more, and says how it stands; `None` when somebody left before. Without a server,
/// and when nobody has taken it, it is performed here.
pub(crate) async fn follow(
    desk: &Desk,
    id: i64,
    leaving: &CancellationToken,
) -> Result<Option<Told>, Refused> {
    let bar = bar(id);
    let followed = match desk.here() {
        Some(local) => perform(local, id, &bar, leaving).await,
        None => tokio::select! {
            followed = watch(desk, id, &bar) => followed.map(|()| Followed::Over),
            () = leaving.cancelled() => Ok(Followed::Left),
        },
    };
    bar.finish_and_clear();
    if followed? == Followed::Over {
        return desk.ask(&Request::get(&["operations", &id.to_string()])).await.map(Some);
    }
    let who = match desk.here() {
        Some(_) => "an instance that runs goes on with it, if there is one",
        None => "it goes on there",
    };
    err(&format!(
        "operation {id} was left: {who}\n  dipmo operation watch {id}                 shows how far it is\n  \
         dipmo operation cancel {id} --reason WHY   ends it"
    ));
    Ok(None)
}

/// How it went on.
#[derive(PartialEq)]
enum Followed {
    /// It runs no more, or there is none.
    Over,
    /// Whoever sat here left.
    Left,
}

/// Performs it in this process, as soon as nobody else has it.
async fn perform(
    local: &Local,
    id: i64,
    bar: &ProgressBar,
    leaving: &CancellationToken,
) -> Result<Followed, Refused> {
    let mut performer = local.performer();
    loop {
        let tell = |operation: &Operation| told(bar, operation.items, operation.met);
        match performer.perform_one(OperationId(id), tell, leaving.clone()).await {
            Ok(Conclusion::Over(_) | Conclusion::NotFound) => return Ok(Followed::Over),
            Ok(Conclusion::Stopped(_)) => return Ok(Followed::Left),
            Ok(Conclusion::Elsewhere(operation)) => tell(&operation),
            Err(error) => return Err(stuck(id, &error)),
        }
        tokio::select! {
            () = sleep(EVERY) => {}
            () = leaving.cancelled() => return Ok(Followed::Left),
        }
    }
}

fn stuck(id: i64, error: &StoreError) -> Refused {
    let message = format!("operation {id} could not be gone on with; {}: {error}", error.code());
    let hint = format!("what was done stays done; `dipmo operation watch {id}` goes on with it");
    Refused::wrong(message, hint)
}

/// Asks again and again how far it is, until it runs no more.
async fn watch(desk: &Desk, id: i64, bar: &ProgressBar) -> Result<(), Refused> {
    let request = Request::get(&["operations", &id.to_string()]);
    let mut heard = Instant::now();
    loop {
        match desk.ask(&request).await {
            Ok(operation) if operation["state"] != "RUNNING" => return Ok(()),
            Ok(operation) => {
                let number = |name: &str| operation[name].as_u64().unwrap_or_default();
                told(bar, number("items"), number("met"));
                heard = Instant::now();
            }
            Err(refused) if refused.is_passing() && heard.elapsed() < PATIENCE => {
                bar.set_message("nobody answers, asking again");
            }
            Err(refused) => return Err(refused),
        }
        sleep(EVERY).await;
    }
}

fn told(bar: &ProgressBar, items: u64, met: u64) {
    bar.set_length(items);
    bar.set_position(met);
    bar.set_message("");
}

/// A bar on standard error, which shows nothing where there is no terminal.
fn bar(id: i64) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{prefix} {wide_bar} {human_pos} of {human_len} {eta} {msg}");
    let bar = ProgressBar::new(0).with_prefix(format!("operation {id}"));
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
