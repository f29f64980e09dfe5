//! Whom a command asks: a server over the network, or the same API in this process, on the database that the
//! configuration names. Every command is a request, so that its words are the same wherever it is typed.

mod answer;
mod local;
mod refused;
mod remote;
mod request;
mod server;

use std::path::PathBuf;

use dipmo_domain::Timestamp;
use serde_json::Value;

use super::show::field::Object;
use super::show::table::Table;
use super::show::when;
use crate::commands::files::ConfigArgs;
use crate::console::{err, has_colour, out};
use crate::output::{Output, OutputArgs};
use remote::Remote;
use server::Server;

pub(crate) use answer::Told;
pub(crate) use local::Local;
pub(crate) use refused::{Refused, Where};
pub(crate) use request::Request;

/// Whom to ask, and how to show the answer.
#[derive(clap::Args, Debug)]
pub(crate) struct Whom {
    /// Ask this server, instead of the database that the configuration names.
    #[arg(long, value_name = "URL", global = true)]
    server: Option<Server>,
    /// A file with the token that the server is shown. Without it DIPMO_TOKEN has the token.
    #[arg(long, value_name = "FILE", global = true)]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    files: ConfigArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Where an operator sits: whom they ask, and what they see.
pub(crate) struct Desk {
    api: Api,
    pub(crate) output: Output,
    /// When the command began.
    pub(crate) now: Timestamp,
}

enum Api {
    Server(Remote),
    Here(Box<Local>),
}

impl Desk {
    /// Finds whom to ask. A server is not asked yet; a database is opened.
    pub(crate) async fn open(whom: &Whom) -> Result<Self, Refused> {
        let output = whom.output.format;
        let api = match &whom.server {
            Some(server) => {
                let token = server::token(whom.token_file.as_deref())?;
                if token.is_some() && server.is_overheard() {
                    err(
                        "warning: the token goes over the network in the clear; an address with https:// hides it",
                    );
                }
                Api::Server(Remote::new(server, token.as_deref())?)
            }
            None if whom.token_file.is_some() => {
                let hint =
                    "say --server URL as well; the database of the configuration needs no token";
                return Err(Refused::wrong("a token is for a server, and none is named", hint));
            }
            None => Api::Here(Box::new(Local::open(&whom.files, output).await?)),
        };
        Ok(Self { api, output, now: when::now() })
    }

    /// Who is asked.
    pub(crate) fn at(&self) -> Where {
        match &self.api {
            Api::Server(server) => server.at(),
            Api::Here(_) => Where::Here,
        }
    }

    /// The API in this process, unless a server is asked.
    pub(crate) fn here(&self) -> Option<&Local> {
        match &self.api {
            Api::Server(_) => None,
            Api::Here(local) => Some(local),
        }
    }

    /// Asks, and reads what is answered.
    pub(crate) async fn ask(&self, request: &Request) -> Result<Told, Refused> {
        let answer = match &self.api {
            Api::Server(server) => server.ask(request).await?,
            Api::Here(local) => local.ask(request).await?,
        };
        answer.read(&self.at())
    }

    /// Prints what was told: for people as a text of it, for a script as it is.
    pub(crate) fn print(&self, told: &Told, text: impl FnOnce(Object<'_>) -> String) {
        match self.output {
            Output::Text => out(text(self.object(told)).trim_end()),
            Output::Json => out(&told.in_one_line()),
        }
    }

    /// A value as it is shown here and now.
    pub(crate) const fn object<'a>(&self, value: &'a Value) -> Object<'a> {
        Object::new(value, self.now)
    }

    /// A table as it fits here.
    pub(crate) fn shown(&self, table: &Table) -> String {
        let width = console::Term::stdout().size_checked().map(|(_, width)| usize::from(width));
        table.render(width, has_colour())
    }

    /// Says something beside what was asked for; a script is not bothered with it.
    pub(crate) fn note(&self, text: &str) {
        if self.output == Output::Text && !text.is_empty() {
            err(text);
        }
    }
}
