//! `dipmo token`: who may come in over the network.

use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use serde_json::json;

use super::asking::{Desk, Request, Whom};
use super::list::Listing;
use super::show::field::Object;
use super::show::table::{Cell, Table};
use super::{Ended, help};
use crate::console::out;
use crate::output::Output;

/// What to do, and whom to ask.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) whom: Whom,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Make a token, and print it this once.
    #[command(after_help = help::TOKEN_MAKE)]
    Make(Make),
    /// List tokens, the newest first; what they are shown by is known to nobody.
    #[command(after_help = help::TOKEN_LIST)]
    List,
    /// Revoke a token.
    #[command(after_help = help::TOKEN_REVOKE)]
    Revoke {
        /// Its number in the list.
        id: i64,
        /// Why, in your own words: the audit keeps it.
        #[arg(long, value_name = "WHY")]
        reason: String,
    },
}

#[derive(clap::Args)]
struct Make {
    /// Whose it is: letters, digits and . _ - @
    name: String,
    /// What it allows.
    #[arg(long, value_enum, default_value_t = Role::Viewer)]
    role: Role,
    #[command(flatten)]
    how_long: HowLong,
}

/// For how long a token is good: for ever must be said.
#[derive(Clone, Copy, clap::Args)]
#[group(required = true, multiple = false)]
struct HowLong {
    /// For how many days it is good.
    #[arg(long, value_name = "NUMBER")]
    days: Option<u32>,
    /// It is good until it is revoked.
    #[arg(long)]
    for_ever: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Role {
    /// Looks; what came in is masked.
    Viewer,
    /// Also acts, searches for texts, reveals what is masked, and reads the audit.
    Operator,
    /// Also makes and revokes tokens.
    Admin,
}

impl Role {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }
}

/// Looks or changes.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    match &args.what {
        What::Make(make) => made(desk, make).await?,
        What::List => {
            let told = desk.ask(&Request::get(&["tokens"])).await?;
            let table = Table::new(&[">id", "name", "role", "made", "good until", "revoked"]);
            Listing::of(&told).print(desk, "", table, row, "");
        }
        What::Revoke { id, reason } => {
            let request =
                Request::delete(&["tokens", &id.to_string()]).with("reason", Some(reason));
            desk.ask(&request).await?;
            desk.output.print(
                || format!("token {id} is good for nothing now"),
                || json!({ "revoked": id }),
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the token, and nothing else there: it can go into a file as it is.
async fn made(desk: &Desk, make: &Make) -> Result<(), super::asking::Refused> {
    let HowLong { days, for_ever } = make.how_long;
    let days = if for_ever { None } else { days };
    let body = json!({ "name": make.name, "role": make.role.as_str(), "days": days });
    let told = desk.ask(&Request::post(&["tokens"], &body)).await?;
    if desk.output == Output::Json {
        out(&told.in_one_line());
        return Ok(());
    }
    let token = desk.object(&told);
    out(&token.text("/token"));
    let until = match token.at("/expires_at") {
        until if until.is_empty() => "it is revoked".to_owned(),
        until => until,
    };
    desk.note(&format!(
        "this is token {} of {} in the role {}, good until {until}; it is shown this once, and kept by nobody",
        token.text("/id"),
        token.text("/name"),
        token.text("/role"),
    ));
    Ok(())
}

fn row(table: &mut Table, token: Object<'_>) {
    let until = match token.text("/expires_at") {
        until if until.is_empty() => Cell::from("revoked"),
        _ => token.ago("/expires_at"),
    };
    table.row([
        token.cell("/id"),
        token.cell("/name"),
        token.cell("/role"),
        token.ago("/created_at"),
        until,
        token.ago("/revoked_at"),
    ]);
}
