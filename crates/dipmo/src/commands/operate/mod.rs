//! What operators type. Every command is a request to the JSON API: over the network with `--server`, else answered in
//! this process on the database that the configuration names. So the words are the same everywhere.
//!
//! | module | what is there |
//! |---|---|
//! | `asking` | whom to ask, and what is said when they say no |
//! | `filters`, `list` | which part of a list is wanted |
//! | `act` | what changes many: preview, question, operation, outcome |
//! | `reveal` | what is masked |
//! | `steer` | what is paused and resumed |
//! | `leaving` | what ends a command that waits |
//! | `show`, `waiting` | how it looks |
//! | the others | a noun each |

mod act;
mod aggregate;
mod archive;
mod asking;
mod audit;
mod destination;
mod doctor;
mod failures;
mod filters;
mod help;
mod inbox;
mod inbox_edit;
mod instance;
mod job;
mod journey;
mod lane;
mod leaving;
mod list;
mod operation;
mod outbox;
mod process;
mod process_move;
mod replay;
mod report;
mod report_slo;
mod reveal;
mod show;
mod source;
mod steer;
mod token;
mod top;
mod waiting;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use asking::{Desk, Refused, Whom};

/// How a command ends.
type Ended = Result<ExitCode, Refused>;

/// The nouns.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Is this system fit to run, and what is to be done about what is not?
    #[command(after_help = help::DOCTOR)]
    Doctor(doctor::Args),
    /// See what is stuck, grouped by cause.
    #[command(after_help = help::FAILURES)]
    Failures(failures::Args),
    /// See messages that came in, and put right those that are stuck.
    #[command(after_help = help::INBOX)]
    Inbox(inbox::Args),
    /// See what is to be delivered, and put right what is stuck.
    #[command(after_help = help::OUTBOX)]
    Outbox(outbox::Args),
    /// Process messages once more that were processed before.
    #[command(after_help = help::REPLAY)]
    Replay(replay::Args),
    /// See processes and their instances.
    #[command(after_help = help::PROCESS)]
    Process(process::Args),
    /// Erase what an aggregate left.
    #[command(after_help = help::AGGREGATE)]
    Aggregate(aggregate::Args),
    /// See where messages come from, and pause it.
    #[command(after_help = help::SOURCE)]
    Source(source::Args),
    /// See how much waits for each destination, and pause it.
    #[command(after_help = help::DESTINATION)]
    Destination(destination::Args),
    /// See jobs that destinations work through.
    #[command(after_help = help::JOB)]
    Job(job::Args),
    /// See who delivers what right now.
    #[command(after_help = help::LANE)]
    Lane(lane::Args),
    /// See which instances of dipmo work on the database.
    #[command(after_help = help::INSTANCE)]
    Instance(instance::Args),
    /// See how old what waits is, and what stands out.
    #[command(after_help = help::REPORT)]
    Report(report::Args),
    /// See and steer what is done to many messages or units at once.
    #[command(after_help = help::OPERATION)]
    Operation(operation::Args),
    /// See history in files, and put it back.
    #[command(after_help = help::ARCHIVE)]
    Archive(archive::Args),
    /// See who did what, when and why.
    #[command(after_help = help::AUDIT)]
    Audit(audit::Args),
    /// Let people and programs in over the network.
    #[command(after_help = help::TOKEN)]
    Token(token::Args),
    /// Show how much waits where, again and again.
    #[command(after_help = help::TOP)]
    Top(top::Args),
}

/// Asks, and shows what is answered.
pub(crate) async fn run(command: &Command) -> Result<ExitCode> {
    let whom = whom(command);
    let ended = match Desk::open(whom).await {
        Ok(desk) => ask(command, &desk).await,
        Err(refused) => Err(refused),
    };
    Ok(ended.unwrap_or_else(|refused| refused.say(whom.output.format)))
}

async fn ask(command: &Command, desk: &Desk) -> Ended {
    match command {
        Command::Doctor(args) => doctor::run(args, desk).await,
        Command::Failures(args) => failures::run(args, desk).await,
        Command::Inbox(args) => inbox::run(args, desk).await,
        Command::Outbox(args) => outbox::run(args, desk).await,
        Command::Replay(args) => replay::run(args, desk).await,
        Command::Process(args) => process::run(args, desk).await,
        Command::Aggregate(args) => aggregate::run(args, desk).await,
        Command::Source(args) => source::run(args, desk).await,
        Command::Destination(args) => destination::run(args, desk).await,
        Command::Job(args) => job::run(args, desk).await,
        Command::Lane(args) => lane::run(args, desk).await,
        Command::Instance(args) => instance::run(args, desk).await,
        Command::Report(args) => report::run(args, desk).await,
        Command::Operation(args) => operation::run(args, desk).await,
        Command::Archive(args) => archive::run(args, desk).await,
        Command::Audit(args) => audit::run(args, desk).await,
        Command::Token(args) => token::run(args, desk).await,
        Command::Top(args) => top::run(args, desk).await,
    }
}

const fn whom(command: &Command) -> &Whom {
    match command {
        Command::Doctor(doctor::Args { whom, .. })
        | Command::Failures(failures::Args { whom, .. })
        | Command::Inbox(inbox::Args { whom, .. })
        | Command::Outbox(outbox::Args { whom, .. })
        | Command::Replay(replay::Args { whom, .. })
        | Command::Process(process::Args { whom, .. })
        | Command::Aggregate(aggregate::Args { whom, .. })
        | Command::Source(source::Args { whom, .. })
        | Command::Destination(destination::Args { whom, .. })
        | Command::Job(job::Args { whom, .. })
        | Command::Lane(lane::Args { whom, .. })
        | Command::Instance(instance::Args { whom, .. })
        | Command::Report(report::Args { whom, .. })
        | Command::Operation(operation::Args { whom, .. })
        | Command::Archive(archive::Args { whom, .. })
        | Command::Audit(audit::Args { whom, .. })
        | Command::Token(token::Args { whom, .. })
        | Command::Top(top::Args { whom, .. }) => whom,
    }
}
