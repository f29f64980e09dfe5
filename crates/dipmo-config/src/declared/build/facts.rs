//! Facts: what is read before a message is decided on.

use std::sync::Arc;

use dipmo_api::FactDefinition;
use dipmo_cel::Type;

use super::expressions::Compiler;
use super::{Declared, types, unknown};
use crate::declared::event::{self, Key};
use crate::declared::intern::intern;
use crate::declared::variables::FactName;
use crate::model::fact::Fact;
use crate::problem::{Problem, codes};
use crate::{Lower, Place, Problems};

/// A fact that a process declares.
pub(super) struct Known<'a> {
    pub(super) name: FactName,
    pub(super) definition: FactDefinition,
    fact: &'a Fact,
}

/// The definition of a fact.
pub(super) fn define<'a>(
    process: &str,
    name: &Lower,
    fact: &'a Fact,
    declared: &Declared,
    problems: &mut Problems,
) -> Option<Known<'a>> {
    // Facts of two processes may have one name and mean different things.
    let registered = intern(&format!("{process}.{name}"));
    let definition = match (&fact.table, &fact.query) {
        (Some(table), _) => {
            let Some(found) = declared.tables.get(table.as_str()) else {
                let known = declared.tables.keys().map(String::as_str);
                problems.push(unknown("table", table, table.place, known));
                return None;
            };
            let Some(by) = &fact.by else {
                problems.push(missing(fact, "by", "the column that the rows are found by"));
                return None;
            };
            if found.column(by).is_none() {
                let known = found.columns.iter().map(|column| column.name);
                problems.push(unknown("column", by, by.place, known));
                return None;
            }
            FactDefinition::table(registered, Arc::clone(found), intern(by))
        }
        (None, Some(query)) => {
            let Some(found) = declared.queries.get(query.as_str()) else {
                let known = declared.queries.keys().map(String::as_str);
                problems.push(unknown("query", query, query.place, known));
                return None;
            };
            FactDefinition::query(registered, Arc::clone(found))
        }
        (None, None) => return None,
    };
    Some(Known { name: FactName { said: intern(name), registered }, definition, fact })
}

impl Known<'_> {
    /// True when it is read for an event.
    pub(super) fn is_for(&self, event: &str) -> bool {
        self.fact.on.is_empty() || self.fact.on.iter().any(|name| name.as_str() == event)
    }

    /// Where it stands: its key, where it has one.
    pub(super) fn place(&self) -> Place {
        let key = self.fact.key.as_ref().map(|key| key.place);
        let keys = self.fact.keys.as_ref().map(|keys| keys.place);
        key.or(keys).unwrap_or(self.fact.place)
    }

    /// The type of its rows.
    pub(super) fn row(&self) -> Type {
        types::row(self.name.said, &self.definition)
    }

    /// How it is asked for.
    pub(super) fn ask(
        &self,
        compiler: &Compiler<'_>,
        problems: &mut Problems,
    ) -> Option<event::Fact> {
        let key = match (&self.fact.table, &self.fact.key, &self.fact.keys) {
            (Some(_), Some(key), None) => {
                let kind = self.definition.key_kind()?;
                let wanted = Type::optional(types::of_kind(kind));
                Key::One(vec![(kind, compiler.value(key, &wanted, problems)?)])
            }
            (Some(_), None, Some(keys)) => {
                let kind = self.definition.key_kind()?;
                let wanted = Type::list(Type::Dyn);
                Key::Several(kind, compiler.expression(keys, &wanted, problems)?)
            }
            (Some(_), ..) => {
                problems.push(missing(self.fact, "key", "either one `key` or a list of `keys`"));
                return None;
            }
            (None, ..) => Key::One(self.parameters(compiler, problems)?),
        };
        Some(event::Fact { name: self.name.registered, key })
    }

    /// A value for each parameter of its query.
    fn parameters(
        &self,
        compiler: &Compiler<'_>,
        problems: &mut Problems,
    ) -> Option<Vec<(dipmo_api::sql::ValueKind, crate::declared::template::Template)>> {
        let dipmo_api::FactSource::Query { query, .. } = &self.definition.source else {
            return None;
        };
        super::effects::parameters(
            query.parameters(),
            &self.fact.with,
            self.fact.place,
            compiler,
            problems,
        )
        .map(|set| set.into_iter().map(|(_, kind, template)| (kind, template)).collect())
    }
}

fn missing(fact: &Fact, key: &str, what: &str) -> Problem {
    let message = format!("a fact of a table needs `{key}`: {what}");
    Problem::error(codes::MISSING_KEY, fact.place, message)
}
