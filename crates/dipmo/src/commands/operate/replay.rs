//! `dipmo replay`: messages that were processed are processed once more.

use dipmo_store::admin::Act;

use super::Ended;
use super::act::{OnMessages, act};
use super::asking::{Desk, Whom};

/// Options of `dipmo replay`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    on: OnMessages,
    #[command(flatten)]
    pub(crate) whom: Whom,
}

pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    let target = args.on.target(desk.now)?;
    act(desk, Act::Replay, target, &args.on.how).await
}
