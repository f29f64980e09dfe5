//! What a step does: rows, intents, timers.

use std::sync::Arc;

use dipmo_api::WriteTarget;
use dipmo_api::sql::ValueKind;
use dipmo_api::table::DomainTable;
use dipmo_cel::{Program, Type};

use super::expressions::Compiler;
use super::process::Builder;
use super::{types, unknown};
use crate::declared::case::{Body, Change, Repeat, Send, Timer, Write};
use crate::declared::intern::intern;
use crate::declared::template::Template;
use crate::declared::variables::Types;
use crate::model::action;
use crate::problem::{Problem, codes};
use crate::{Expr, Lower, Map, Place, Problems, ValueExpr};

/// Columns or parameters, and how their values are made.
type Set = Vec<(&'static str, ValueKind, Template)>;

/// Builds what steps of one event do.
pub(super) struct Effects<'a> {
    pub(super) builder: &'a Builder<'a>,
    pub(super) types: &'a Types,
}

impl Effects<'_> {
    pub(super) fn write(&self, write: &action::Write, problems: &mut Problems) -> Option<Write> {
        let (repeat, compiler) =
            self.repeat(write.when.as_ref(), write.for_each.as_ref(), problems);
        let declared = self.builder.declared;
        let (target, set) = match (&write.upsert, &write.delete, &write.statement) {
            (Some(name), ..) => {
                let table = self.table(name, problems)?;
                required(write, &table, false, problems);
                let set = columns(&table, &write.set, &compiler, problems)?;
                (WriteTarget::Upsert(table), set)
            }
            (_, Some(name), _) => {
                let table = self.table(name, problems)?;
                required(write, &table, true, problems);
                let set = columns(&table, &write.set, &compiler, problems)?;
                (WriteTarget::Delete(table), set)
            }
            (_, _, Some(name)) => {
                let Some(statement) = declared.statements.get(name.as_str()) else {
                    let known = declared.statements.keys().map(String::as_str);
                    problems.push(unknown("statement", name, name.place, known));
                    return None;
                };
                let given = &write.with;
                let set =
                    parameters(statement.parameters(), given, write.place, &compiler, problems)?;
                (WriteTarget::Run(Arc::clone(statement)), set)
            }
            (None, None, None) => return None,
        };
        Some(Write { repeat: repeat?, target, set })
    }

    pub(super) fn send(&self, send: &action::Send, problems: &mut Problems) -> Option<Send> {
        let (repeat, compiler) = self.repeat(send.when.as_ref(), send.for_each.as_ref(), problems);
        let mut text = |value: &Option<ValueExpr>| {
            value.as_ref().map(|value| compiler.value(value, &Type::String, problems))
        };
        let (of, id) = (text(&send.aggregate_type), text(&send.aggregate_id));
        let payload = match &send.payload {
            None => Some(Body::Empty),
            Some(value) if is_event(value) => Some(Body::AsItCame),
            Some(value) => compiler.value(value, &Type::Dyn, problems).map(Body::Made),
        };
        let headers: Vec<_> = send
            .headers
            .iter()
            .map(|(name, value)| {
                Some((name.to_string(), compiler.value(value, &Type::String, problems)?))
            })
            .collect();
        let records = send.records.as_ref();
        let records =
            records.map(|it| compiler.expression(it, &Type::list(Type::String), problems));
        Some(Send {
            repeat: repeat?,
            to: send.to.iter().map(|destination| destination.value.clone()).collect(),
            event: send.event.to_string(),
            version: send.version.as_ref().map_or(1, |version| version.get()),
            payload: payload?,
            about: (all(of)?, all(id)?),
            headers: headers.into_iter().collect::<Option<_>>()?,
            records: all(records)?,
            outcome: send.expects_outcome.as_ref().is_some_and(|wanted| **wanted),
        })
    }

    pub(super) fn timer(&self, timer: &action::Timer, problems: &mut Problems) -> Option<Timer> {
        let compiler = self.compiler();
        let when = timer.when.as_ref();
        let when = when.map(|when| compiler.expression(when, &Type::Bool, problems));
        let change = if let Some(name) = &timer.cancel {
            Change::Cancel(intern(name))
        } else {
            let name = timer.set.as_ref()?;
            let (Some(after), Some(event)) = (&timer.after, &timer.event) else {
                let message = "a timer that is set needs `after` and `event`";
                let hint = "such as `after: 14d` and `event: ReviewOverdue`";
                problems.push(Problem::error(codes::MISSING_KEY, timer.place, message).hint(hint));
                return None;
            };
            let event = self.builder.event_name(event, problems)?;
            let payload = timer.payload.as_ref();
            let payload = all(payload.map(|it| compiler.value(it, &Type::Dyn, problems)))?;
            Change::Set { name: intern(name), after: after.value, event, payload }
        };
        Some(Timer { when: all(when)?, change })
    }

    fn table(&self, name: &crate::Upper, problems: &mut Problems) -> Option<Arc<DomainTable>> {
        let tables = &self.builder.declared.tables;
        let found = tables.get(name.as_str());
        // One that is there and cannot be made has its own problem.
        if found.is_none() && self.builder.config.tables.get(name).is_none() {
            problems.push(unknown("table", name, name.place, tables.keys().map(String::as_str)));
        }
        found.cloned()
    }

    fn compiler(&self) -> Compiler<'_> {
        Compiler { files: self.builder.files, scope: self.types.scope() }
    }

    /// When it is done and how often, and what compiles the rest of it.
    fn repeat(
        &self,
        when: Option<&Expr>,
        for_each: Option<&Expr>,
        problems: &mut Problems,
    ) -> (Option<Repeat>, Compiler<'_>) {
        let outside = self.compiler();
        let for_each = for_each.map(|it| outside.expression(it, &Type::list(Type::Dyn), problems));
        let compiler = match &for_each {
            None => outside,
            Some(items) => {
                let item = match items.as_ref().map(Program::result) {
                    Some(Type::List(item)) => item.as_ref().clone(),
                    _ => Type::Dyn,
                };
                Compiler { files: self.builder.files, scope: self.types.scope_in_loop(item) }
            }
        };
        let when = when.map(|it| compiler.expression(it, &Type::Bool, problems));
        let repeat = all(when).zip(all(for_each));
        (repeat.map(|(when, for_each)| Repeat { when, for_each }), compiler)
    }
}

/// A value for every parameter, and none that is not there.
pub(super) fn parameters(
    wanted: &[(&'static str, ValueKind)],
    given: &Map<ValueExpr, Lower>,
    place: Place,
    compiler: &Compiler<'_>,
    problems: &mut Problems,
) -> Option<Set> {
    for (name, _) in given.iter() {
        if !wanted.iter().any(|(known, _)| *known == name.as_str()) {
            let known = wanted.iter().map(|(known, _)| *known);
            problems.push(unknown("parameter", name, name.place, known));
        }
    }
    let values: Vec<_> = wanted
        .iter()
        .map(|(name, kind)| {
            let Some(value) = given.get(name) else {
                let message = format!("the parameter `{name}` has no value");
                let hint = format!("add it under `with`: `{name}: =…`");
                problems.push(Problem::error(codes::MISSING_KEY, place, message).hint(hint));
                return None;
            };
            let wanted = Type::optional(types::of_kind(*kind));
            Some((*name, *kind, compiler.value(value, &wanted, problems)?))
        })
        .collect();
    values.into_iter().collect()
}

fn columns(
    table: &DomainTable,
    set: &Map<ValueExpr, crate::Upper>,
    compiler: &Compiler<'_>,
    problems: &mut Problems,
) -> Option<Set> {
    let values: Vec<_> = set
        .iter()
        .map(|(name, value)| {
            let Some(column) = table.column(name) else {
                let known = table.columns.iter().map(|column| column.name);
                problems.push(unknown("column", name, name.place, known));
                return None;
            };
            let kind = ValueKind::from(column.kind);
            let wanted = Type::optional(types::of_kind(kind));
            Some((column.name, kind, compiler.value(value, &wanted, problems)?))
        })
        .collect();
    values.into_iter().collect()
}

/// Says which columns a row cannot do without.
fn required(write: &action::Write, table: &DomainTable, is_delete: bool, problems: &mut Problems) {
    // A column that is misspelt is one that is missing.
    if write.set.iter().any(|(name, _)| table.column(name).is_none()) {
        return;
    }
    let is_wanted = |name: &str| !is_delete || table.is_key(name);
    let missing: Vec<&str> = table
        .columns
        .iter()
        .filter(|column| column.required && is_wanted(column.name))
        .map(|column| column.name)
        .filter(|name| write.set.get(name).is_none())
        .collect();
    if !missing.is_empty() {
        let message = format!("a row of {} needs {}", table.name, missing.join(", "));
        let hint = format!("add it under `set`: `{}: =…`", missing[0]);
        problems.push(Problem::error(codes::MISSING_KEY, write.place, message).hint(hint));
    }
}

/// True for `=event`: the payload as it came.
fn is_event(value: &ValueExpr) -> bool {
    matches!(&value.kind, crate::ValueKind::Expr(expression) if expression.text.trim() == "event")
}

/// What was not asked for is right; what could not be built is not.
pub(super) fn all<T>(built: Option<Option<T>>) -> Option<Option<T>> {
    match built {
        None => Some(None),
        Some(None) => None,
        Some(Some(built)) => Some(Some(built)),
    }
}
