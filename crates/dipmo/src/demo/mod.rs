//! `dipmo demo`: generated events through the pipelines of all examples, as their files stand, and a ledger
//! that tells whether anything was lost, doubled or reordered.
//!
//! ```text
//!  producer ─► Kafka ─► INBOX ─► HIT, ONBOARDING, LISTENER ─► OUTBOX ─► Kafka ─► downstream
//!     │                  ▲       FAMILY, MEMBERS_CREATED, …     │  │└─► Salesforce (simulated)
//!     │                  │                                      │  └──► blocks (INTERNAL:blocks) ─┐
//!     │                  └───── INTERNAL, timers, outcomes ◄────┘                                 │
//!     │                  └───────────────────────────── answers ◄─────────────────────────────────┘
//!     └──► book ──────────────────► ledger ◄─────── facts (rows, records, arrivals, the org)
//! ```

mod args;
mod blocks;
mod book;
mod broker;
mod collect;
mod depth;
mod downstream;
mod facts;
pub(crate) mod failed;
mod intake;
mod ledger;
mod listener;
mod mailbox;
mod mischief;
mod org;
mod outside;
mod pipeline;
mod place;
mod play;
mod processes;
mod producer;
mod progress;
mod reading;
mod recorder;
mod report;
mod running;
mod sabotage;
mod schema;
mod sender;
mod stop;
mod stories;
mod topics;
mod view;
mod wire;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;

pub(crate) use args::{Args, EXAMPLES};
use broker::Broker;
use org::Org;
use place::Place;
use play::{Outfit, play_at};
use report::Run;

use crate::console::{err, has_colour, out};
use crate::output::Output;

/// Runs it; the exit code says whether the ledger balances.
pub(crate) async fn run(args: &Args) -> Result<ExitCode> {
    let began = Instant::now();
    let seed = args.seed.unwrap_or_else(|| u64::from(fastrand::u32(..)));
    let org = match &args.salesforce {
        Some(url) => Org::remote(url).await?,
        None => Org::simulated(seed).await?,
    };
    let broker = match &args.kafka {
        Some(address) => Broker::real(address).await?,
        None => Broker::in_process()?,
    };
    let outfit = Outfit { broker, org, seed };
    let place = match &args.postgres {
        Some(url) => Place::postgres(url).await,
        None => Place::sqlite(),
    };
    let (played, store_removed) = match place {
        Ok(place) => {
            let leftovers = Arc::clone(&place.leftovers);
            let played = play_at(args, place, &outfit).await;
            (played, leftovers.remove().await)
        }
        Err(error) => (Err(error), Ok(())),
    };
    let Outfit { broker, org, seed } = outfit;
    let removed = broker.remove().await.and(org.remove().await).and(store_removed);
    let (store, ledger, store_errors) = match (played, &removed) {
        (Ok(played), _) => played,
        (Err(error), Ok(())) => return Err(error),
        (Err(error), Err(left)) => {
            err(&failed::line(left));
            return Err(error);
        }
    };
    let (kafka, org, took) = (broker.name.clone(), org.name(), began.elapsed());
    let (processes, rate) = (args.processes, args.rate);
    let again = args.again(seed);
    let run = Run { store, kafka, org, processes, seed, rate, again, took, store_errors };
    match args.output() {
        Output::Json => {
            report::complaints(&ledger).iter().for_each(|line| err(line));
            out(&report::json(&run, &ledger));
        }
        Output::Text => out(&report::table(&run, &ledger, has_colour())),
    }
    removed?;
    Ok(if ledger.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
