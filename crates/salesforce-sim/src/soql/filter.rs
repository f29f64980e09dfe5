//! The `WHERE` of a query: its literals typed by their fields, and what it says of a record.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::budget::Budget;
use super::error::{at, malformed};
use super::literal::{Key, typed};
use super::path::{Names, Path};
use super::text::Pattern;
use super::tree::{Comparison, Condition, Literal, Name};
use crate::org::id::RecordId;
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;
use crate::schema::Kind;
use crate::value::Value;

#[derive(Clone, Debug)]
pub(super) enum Filter {
    All(Vec<Filter>),
    Any(Vec<Filter>),
    Not(Box<Filter>),
    OneOf(OneOf),
    Ordered { path: Path, wanted: fn(Ordering) -> bool, bound: Value },
    Like { path: Path, pattern: Pattern },
}

/// `=` and `IN`.
#[derive(Clone, Debug)]
pub(super) struct OneOf {
    pub(super) path: Path,
    pub(super) values: Vec<Value>,
    keys: HashSet<Key>,
    case_sensitive: bool,
}

impl Filter {
    pub(super) fn bind(names: &Names<'_>, condition: &Condition) -> Result<Filter, Refusal> {
        let all = |parts: &[Condition]| {
            parts.iter().map(|part| Filter::bind(names, part)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match condition {
            Condition::All(parts) => Filter::All(all(parts)?),
            Condition::Any(parts) => Filter::Any(all(parts)?),
            Condition::Not(inner) => Filter::Not(Box::new(Filter::bind(names, inner)?)),
            Condition::In(field, true, literals) => one_of(names, field, literals)?,
            Condition::In(field, false, literals) => {
                Filter::Not(Box::new(one_of(names, field, literals)?))
            }
            Condition::Compare(field, comparison, literal) => {
                compare(names, field, *comparison, literal)?
            }
        })
    }

    /// The error: the query has worked for long enough.
    pub(super) fn accepts(
        &self,
        tx: &Transaction<'_>,
        record: RecordId,
        budget: &Budget,
    ) -> Result<bool, Refusal> {
        let value = |path: &Path| budget.spend(path.steps()).map(|()| path.value(tx, record));
        // Whether one of them says this; those after it are not asked.
        let one_says = |parts: &[Filter], wanted: bool| {
            for part in parts {
                if part.accepts(tx, record, budget)? == wanted {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        Ok(match self {
            Filter::All(parts) => !one_says(parts, false)?,
            Filter::Any(parts) => one_says(parts, true)?,
            Filter::Not(inner) => !inner.accepts(tx, record, budget)?,
            Filter::OneOf(one_of) => {
                one_of.keys.contains(&Key::of(&value(&one_of.path)?, one_of.case_sensitive))
            }
            Filter::Ordered { path, wanted, bound } => {
                order(&value(path)?, bound).is_some_and(wanted)
            }
            Filter::Like { path, pattern } => match value(path)?.as_text() {
                Some(text) => {
                    budget.spend(pattern.steps(text))?;
                    pattern.matches(text)
                }
                None => false,
            },
        })
    }

    /// The equalities that every accepted record fulfils: an index may answer one of them.
    pub(super) fn equalities(&self) -> Vec<&OneOf> {
        match self {
            Filter::OneOf(one_of) => vec![one_of],
            Filter::All(parts) => parts.iter().flat_map(Filter::equalities).collect(),
            Filter::Any(_) | Filter::Not(_) | Filter::Ordered { .. } | Filter::Like { .. } => {
                Vec::new()
            }
        }
    }
}

fn compare(
    names: &Names<'_>,
    field: &Name,
    comparison: Comparison,
    literal: &Literal,
) -> Result<Filter, Refusal> {
    let literals = std::slice::from_ref(literal);
    match comparison {
        Comparison::Equal => one_of(names, field, literals),
        Comparison::NotEqual => Ok(Filter::Not(Box::new(one_of(names, field, literals)?))),
        Comparison::Like => like(names, field, literal),
        Comparison::Less => ordered(names, field, literal, Ordering::is_lt),
        Comparison::LessOrEqual => ordered(names, field, literal, Ordering::is_le),
        Comparison::Greater => ordered(names, field, literal, Ordering::is_gt),
        Comparison::GreaterOrEqual => ordered(names, field, literal, Ordering::is_ge),
    }
}

fn ordered(
    names: &Names<'_>,
    field: &Name,
    literal: &Literal,
    wanted: fn(Ordering) -> bool,
) -> Result<Filter, Refusal> {
    let path = filterable(names, field)?;
    let kind = &names.schema[path.object][path.field].kind;
    if matches!(kind, Kind::Boolean) || *literal == Literal::Null {
        return Err(invalid_operator(names, field));
    }
    let bound = typed(names, field, kind, literal)?;
    Ok(Filter::Ordered { path, wanted, bound })
}

/// Long texts cannot be looked through.
fn filterable(names: &Names<'_>, field: &Name) -> Result<Path, Refusal> {
    let path = names.path(field)?;
    if !names.is_long(&path) {
        return Ok(path);
    }
    let words = format!("field '{}' can not be filtered in a query call", field.text);
    Err(at(names.query, field.offset, "INVALID_FIELD", words))
}

fn one_of(names: &Names<'_>, field: &Name, literals: &[Literal]) -> Result<Filter, Refusal> {
    let path = filterable(names, field)?;
    let schema_field = &names.schema[path.object][path.field];
    let ids = matches!(schema_field.kind, Kind::Id | Kind::Reference(_));
    let case_sensitive = ids || schema_field.case_sensitive;
    let (mut values, mut keys) = (Vec::new(), HashSet::new());
    for literal in literals {
        let value = typed(names, field, &schema_field.kind, literal)?;
        // One that is named twice is looked up once.
        if keys.insert(Key::of(&value, case_sensitive)) {
            values.push(value);
        }
    }
    Ok(Filter::OneOf(OneOf { path, values, keys, case_sensitive }))
}

fn like(names: &Names<'_>, field: &Name, literal: &Literal) -> Result<Filter, Refusal> {
    let path = filterable(names, field)?;
    let kind = &names.schema[path.object][path.field].kind;
    let textual = matches!(kind, Kind::Text { .. } | Kind::Picklist { many: false, .. });
    let (true, Literal::Text(raw)) = (textual, literal) else {
        return Err(invalid_operator(names, field));
    };
    match Pattern::parse(raw) {
        Ok(pattern) => Ok(Filter::Like { path, pattern }),
        Err(escape) => Err(malformed(names.query, field.offset, illegal_escape(raw, &escape))),
    }
}

pub(super) fn illegal_escape(raw: &str, escape: &str) -> String {
    format!(
        "Invalid string literal '{raw}'. Illegal character sequence '{escape}' in string literal."
    )
}

fn invalid_operator(names: &Names<'_>, field: &Name) -> Refusal {
    let kind = match names.path(field) {
        Ok(path) => names.schema[path.object][path.field].kind.name(),
        Err(refusal) => return refusal,
    };
    let words = format!("invalid operator on {kind} field");
    at(names.query, field.offset, "INVALID_QUERY_FILTER_OPERATOR", words)
}

/// `None` where a side is empty: nothing is before or after nothing.
pub(super) fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.partial_cmp(right),
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        (Value::Text(left), Value::Text(right)) => {
            let fold = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<String>();
            Some(fold(left).cmp(&fold(right)))
        }
        _ => None,
    }
}
