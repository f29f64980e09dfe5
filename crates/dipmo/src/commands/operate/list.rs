//! Lists: pages that follow each other, a table of them, and what to say when a list was cut.

use std::num::NonZeroU32;

use serde_json::{Value, json};

use super::asking::{Desk, Refused, Request};
use super::show::field::Object;
use super::show::safe::one_line;
use super::show::table::Table;
use super::show::when::exact_text;
use crate::console::out;
use crate::output::Output;

/// So many rows, when nobody says how many.
const USUAL: u32 = 50;
/// The same for whoever wants all: a slip of a filter ends somewhere.
const USUAL_OF_ALL: u32 = 10_000;
/// So many rows a page has at most.
const PAGE: usize = 500;

/// How much of a list.
#[derive(clap::Args, Debug)]
pub(crate) struct HowMany {
    /// How many at most: 50, or with --all 10,000, unless this says otherwise. A page has at most 500.
    #[arg(long, value_name = "NUMBER")]
    limit: Option<NonZeroU32>,
    /// Follow the pages until there are as many as --limit says, or the list ends.
    #[arg(long)]
    all: bool,
}

/// How much of a list that goes from the newest to the oldest.
#[derive(clap::Args, Debug)]
pub(crate) struct Part {
    #[command(flatten)]
    how_many: HowMany,
    /// Only what has a lower id: a list that was cut says which.
    #[arg(long, value_name = "ID")]
    before: Option<i64>,
}

impl Part {
    /// Where it begins.
    pub(crate) fn cursor(&self) -> Cursor<'_> {
        let from = self.before.map(|before| before.to_string());
        Cursor { how_many: &self.how_many, name: "before", from }
    }
}

/// Where to begin, and how the API calls it.
pub(crate) struct Cursor<'a> {
    pub(crate) how_many: &'a HowMany,
    pub(crate) name: &'static str,
    pub(crate) from: Option<String>,
}

/// Rows of a list, in one piece.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Listing {
    rows: Vec<Value>,
    /// Where it goes on; null when nothing follows.
    next: Value,
    searched_to: Value,
}

/// Reads a list, page by page.
pub(crate) async fn read(
    desk: &Desk,
    request: &Request,
    cursor: Cursor<'_>,
) -> Result<Listing, Refused> {
    let HowMany { limit, all } = *cursor.how_many;
    let usual = if all { USUAL_OF_ALL } else { USUAL };
    let limit = limit.map_or(usual, NonZeroU32::get) as usize;
    let (mut listing, mut from) = (Listing::default(), cursor.from);
    loop {
        let wanted = (limit - listing.rows.len()).min(PAGE);
        let page = request.clone().with("limit", Some(wanted)).with(cursor.name, from.as_ref());
        let page = desk.ask(&page).await?;
        listing.rows.extend(page["rows"].as_array().into_iter().flatten().cloned());
        (listing.next, listing.searched_to) = (page["next"].clone(), page["searched_to"].clone());
        from = word(&listing.next);
        if !all || from.is_none() || listing.rows.len() >= limit {
            return Ok(listing);
        }
    }
}

impl Listing {
    /// The whole of a short list.
    pub(crate) fn of(told: &Value) -> Self {
        let rows = told["rows"].as_array().cloned().unwrap_or_default();
        Self { rows, ..Self::default() }
    }

    /// True when there is no row.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Prints it as a table, with what to say when it was cut, and what one may do next. For a script it is what the
    /// API answered.
    pub(crate) fn print(
        &self,
        desk: &Desk,
        cursor: &str,
        mut table: Table,
        row: impl Fn(&mut Table, Object<'_>),
        next: &str,
    ) {
        if desk.output == Output::Json {
            return out(&self.object().to_string());
        }
        self.rows.iter().for_each(|it| row(&mut table, desk.object(it)));
        match self.is_empty() {
            true => desk.note("nothing was found"),
            false => out(&desk.shown(&table)),
        }
        desk.note(&self.cut(cursor, desk));
        if !self.is_empty() && !next.is_empty() {
            desk.note(&format!("next: {next}"));
        }
    }

    fn object(&self) -> Value {
        let mut object = json!({ "rows": self.rows });
        if !self.next.is_null() || !self.searched_to.is_null() {
            object["next"] = self.next.clone();
            object["searched_to"] = self.searched_to.clone();
        }
        object
    }

    /// What to say when something follows.
    fn cut(&self, cursor: &str, desk: &Desk) -> String {
        let Some(next) = word(&self.next) else { return String::new() };
        let searched = self.searched_to.as_str().map(|time| exact_text(time, desk.now));
        let searched =
            searched.map_or_else(String::new, |time| format!("searched back to {time}; "));
        format!("{searched}more: --{cursor} {}, or --all", typed(&next))
    }
}

/// As it is typed in a shell. It may be an id that somebody else made up.
fn typed(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._:@/-".contains(letter);
    let word = one_line(word);
    if word.chars().all(is_plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
