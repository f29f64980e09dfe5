//! Where the rows of a list are looked for: whatever finds the fewest. Any filter is right with any of them.

use dipmo_domain::{Fingerprint, InboxId, OutboxId};
use dipmo_store::admin::Page;

use crate::listing::{MESSAGES, UNITS};
use crate::sql::{self, Param, Sql, Which, params};

/// So many messages or intents of an aggregate are read whole. Those of one that has more are frequent in
/// the log, and found there.
pub(super) const FEW: i64 = 5_000;

/// So many rows a page looks through.
const MOST: i64 = 10_000;
/// The same where each has to be fetched from another place, or a payload searched.
const MOST_FETCHED: i64 = 5_000;

/// Where to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The log, or those of intents and records, from the newest on.
    Log,
    /// What left the straight path and has one of these statuses.
    Aside(Vec<&'static str>),
    /// What last failed alike.
    Group(Fingerprint),
    /// What is ready, or left the straight path and has one of these statuses; of one destination, if one is said.
    Open(Vec<&'static str>, Option<String>),
    /// The messages or intents of an aggregate that has few.
    Aggregate(String),
    /// One intent.
    Intent(OutboxId),
    /// The intents that a message caused.
    Cause(InboxId),
}

/// What has yet to be compared of what a source finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Compared {
    /// Nothing: all of it is wanted.
    Nothing,
    /// Where it stands.
    Standing,
    /// What the log has of it.
    Logged,
    /// Its payload.
    Payload,
}

impl Compared {
    /// The dearest of what is asked.
    pub(super) const fn of(payload: bool, logged: bool, standing: bool) -> Self {
        match (payload, logged, standing) {
            (true, _, _) => Self::Payload,
            (false, true, _) => Self::Logged,
            (false, false, true) => Self::Standing,
            (false, false, false) => Self::Nothing,
        }
    }
}

/// The lines of a list, as they stand in a statement with the list's own parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    /// How many parameters there are.
    pub(super) params: usize,
    /// What is wanted of a row `e` that left the straight path, so that others need not be looked for in the log.
    pub(super) aside: &'static str,
}

impl Source {
    /// How many rows a page looks through.
    pub(super) fn most(&self, compared: Compared, page: Page) -> i64 {
        match compared {
            // Twice as many: at most every other is an intent with records, which is no unit.
            Compared::Nothing => 2 * (i64::from(page.rows()) + 1),
            Compared::Logged if *self != Self::Log => MOST_FETCHED,
            Compared::Standing | Compared::Logged => MOST,
            Compared::Payload => MOST_FETCHED,
        }
    }

    /// The statement that finds where a page ends; `None` when all that is there can be read. Its
    /// parameters are three, and those of [`Source::keys`].
    pub(super) fn end(&self, which: Which) -> Option<Sql> {
        let end = match self {
            Self::Log | Self::Aside(_) | Self::Group(_) => {
                sql::list_end().fill("{rows}", &self.rows(which).text)
            }
            Self::Open(..) => open(sql::open_end(which), which),
            Self::Aggregate(_) | Self::Intent(_) | Self::Cause(_) => return None,
        };
        Some(with_keys(end.fill("{also}", "true").fill("{most}", "$3"), 4))
    }

    /// The statement that lists messages from here.
    pub(super) fn messages(&self, lines: Lines) -> Sql {
        let log = Which::Inbox;
        lines.finish(self.page(log, &sql::message_lines(), ("m.id", "m.received_at")))
    }

    /// The statement that lists units from here.
    pub(super) fn units(&self, lines: Lines) -> Sql {
        let log = Which::Outbox;
        let intents = self.page(log, &sql::intent_lines(), ("o.id", "o.created_at"));
        let records = self.page(log, &sql::record_lines(), ("r.id", "r.created_at"));
        let list = sql::unit_list().fill("{intents}", &intents.text);
        lines.finish(list.fill("{records}", &records.text))
    }

    /// What it looks for, behind the parameters of a statement.
    pub(super) fn keys(&self, which: Which) -> Vec<Param> {
        match self {
            Self::Log => params![],
            Self::Aside(statuses) => params![statuses.clone()],
            Self::Group(group) => params![group.0],
            Self::Open(statuses, queue) => match which {
                Which::Inbox => params![statuses.clone()],
                Which::Outbox => params![statuses.clone(), queue.clone()],
            },
            Self::Aggregate(aggregate) => params![aggregate.clone()],
            Self::Intent(intent) => params![intent.0],
            Self::Cause(message) => params![message.0],
        }
    }

    /// The lines of a page: of what is found here, or of the log itself, which is not joined with itself.
    fn page(&self, which: Which, lines: &Sql, (id, at): (&str, &str)) -> Sql {
        let (page, range) = match self {
            Self::Log => (sql::list_logged(), format!("{id} < $1 and {id} >= $2")),
            _ => (sql::list_found(), format!("{id} = d.id and {at} = d.at")),
        };
        let page = page.fill("{lines}", &lines.text).fill("{range}", &range);
        page.fill("{rows}", &self.rows(which).text)
    }

    /// Ids and times of a range, the newest first.
    fn rows(&self, which: Which) -> Sql {
        match (self, which) {
            (Self::Log, Which::Inbox) => MESSAGES.rows(),
            (Self::Log, Which::Outbox) => UNITS.rows(),
            (Self::Aside(_), _) => sql::aside_rows(which),
            (Self::Group(_), _) => sql::group_rows(which),
            (Self::Open(..), _) => open(sql::open_rows(which), which),
            (Self::Aggregate(_), Which::Inbox) => sql::aggregate_rows(),
            (Self::Aggregate(_), Which::Outbox) => {
                units_of(&with_types(sql::intents_of_aggregate()))
            }
            (Self::Intent(_), _) => units_of(&sql::intent_named()),
            (Self::Cause(_), _) => units_of(&sql::intents_caused()),
        }
    }
}

/// A statement about the types that aggregates of intents have.
pub(super) fn with_types(sql: Sql) -> Sql {
    sql.fill("{types}", &sql::aggregate_types().text)
}

fn open(sql: Sql, which: Which) -> Sql {
    let of_lane = match which {
        Which::Inbox => "r.lane = l.lane",
        Which::Outbox => {
            "r.destination = l.destination and r.lane = l.lane \
             and ({queue}::varchar is null or l.destination = {queue})"
        }
    };
    sql.fill("{of_lane}", of_lane).fill("{aside}", &sql::aside_rows(which).text)
}

fn units_of(intents: &Sql) -> Sql {
    sql::intent_units().fill("{intents}", &intents.text)
}

impl Lines {
    fn finish(self, list: Sql) -> Sql {
        let list = list.fill("{also}", self.aside).fill("{most}", &MOST.to_string());
        with_keys(list, self.params + 1)
    }
}

/// Numbers the parameters of a source, from the first that is free.
fn with_keys(sql: Sql, first: usize) -> Sql {
    sql.fill("{key}", &format!("${first}")).fill("{queue}", &format!("${}", first + 1))
}
