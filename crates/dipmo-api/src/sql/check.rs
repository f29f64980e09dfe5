//! From a text and what was declared to a template, or to all that is wrong.

use super::ValueKind;
use super::problem::{Place, SqlError, SqlProblem};
use super::template::{Piece, Template};
use super::tokens::{Token, Tokens};

/// The longest name of a query, a statement, a parameter or a column.
const MAX_NAME_CHARS: usize = 100;

/// SQL as it was written.
pub(super) struct Written<'a> {
    pub(super) name: &'static str,
    pub(super) sql: String,
    pub(super) parameters: &'a [(&'static str, ValueKind)],
    pub(super) columns: &'a [(&'static str, ValueKind)],
    /// The words that it may begin with.
    pub(super) begins: &'static [&'static str],
}

impl Written<'_> {
    pub(super) fn template(self) -> Result<Template, SqlError> {
        let mut problems = self.declared();
        let pieces = self.pieces(&mut problems);
        if problems.is_empty() {
            return Ok(Template::new(self.sql, pieces));
        }
        problems.sort_by_key(|problem| problem.place);
        Err(SqlError { name: self.name.to_owned(), problems })
    }

    /// What is wrong with names.
    fn declared(&self) -> Vec<SqlProblem> {
        let mut problems = Vec::new();
        if self.name.is_empty() || self.name.chars().count() > MAX_NAME_CHARS {
            let problem = format!("its name must have 1 to {MAX_NAME_CHARS} characters");
            problems.push(SqlProblem::declared(self.name, problem));
        }
        for (what, names) in [("parameter", self.parameters), ("column", self.columns)] {
            for (at, (name, _)) in names.iter().enumerate() {
                let problem = if !is_name(name) {
                    format!(
                        "the {what} {name:?} is no name: letters, digits and '_', at most {MAX_NAME_CHARS}"
                    )
                } else if names[..at].iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                    format!("the {what} {name} stands there twice")
                } else {
                    continue;
                };
                problems.push(SqlProblem::declared(name, problem));
            }
        }
        problems
    }

    /// Splits the text at its parameters.
    fn pieces(&self, problems: &mut Vec<SqlProblem>) -> Vec<Piece> {
        let mut used = vec![false; self.parameters.len()];
        let mut shape = Shape::default();
        let (mut pieces, mut from) = (Vec::new(), 0);
        for token in Tokens::of(&self.sql) {
            let (token, place) = match token {
                Ok(token) => token,
                Err(problem) => {
                    problems.push(problem);
                    return pieces;
                }
            };
            shape.see(self, token, place, problems);
            if token != Token::Parameter {
                continue;
            }
            let name = &self.sql[place.start + 1..place.end];
            match self.parameters.iter().position(|(known, _)| *known == name) {
                Some(parameter) => {
                    used[parameter] = true;
                    pieces.push(Piece {
                        place: Place { start: from, end: place.start },
                        parameter: None,
                    });
                    pieces.push(Piece { place, parameter: Some(parameter) });
                    from = place.end;
                }
                None => problems.push(self.unbound(name, place)),
            }
        }
        shape.finish(self, problems);
        let unused = self.parameters.iter().zip(used).filter(|(_, used)| !used);
        problems.extend(unused.map(|((name, _), _)| {
            let problem =
                format!("the parameter {name} is declared, but :{name} is not in the text");
            SqlProblem::declared(name, problem)
        }));
        let end = shape.ended.map_or(self.sql.len(), |place| place.start);
        pieces.push(Piece { place: Place { start: from, end: end.max(from) }, parameter: None });
        pieces
    }

    fn unbound(&self, name: &str, place: Place) -> SqlProblem {
        let known: Vec<_> = self.parameters.iter().map(|(name, _)| format!(":{name}")).collect();
        let known = if known.is_empty() { "none are".to_owned() } else { known.join(", ") };
        let problem = format!("the parameter :{name} is not declared; declared: {known}");
        SqlProblem::at(place, problem).named(name)
    }
}

/// One statement of the right kind, with its parentheses in pairs: it is put into another one.
#[derive(Default)]
struct Shape {
    begun: bool,
    /// The semicolon at the end.
    ended: Option<Place>,
    several: bool,
    open: Vec<Place>,
}

impl Shape {
    fn see(
        &mut self,
        written: &Written<'_>,
        token: Token,
        place: Place,
        problems: &mut Vec<SqlProblem>,
    ) {
        let text = &written.sql[place.start..place.end];
        if let Some(ended) = self.ended
            && !std::mem::replace(&mut self.several, true)
        {
            let problem = "one statement only: a semicolon may stand at its end".to_owned();
            problems.push(SqlProblem::at(ended, problem));
        }
        let is_first = !std::mem::replace(&mut self.begun, true);
        let begins = || written.begins.iter().any(|word| word.eq_ignore_ascii_case(text));
        if is_first && (token != Token::Word || !begins()) {
            let problem = format!("it begins with {text:?}, not with {}", either(written.begins));
            problems.push(SqlProblem::at(place, problem));
        }
        match token {
            Token::Semicolon => self.ended = Some(self.ended.unwrap_or(place)),
            Token::Open => self.open.push(place),
            Token::Close if self.open.pop().is_none() => {
                let problem = "this parenthesis was never opened".to_owned();
                problems.push(SqlProblem::at(place, problem));
            }
            Token::Foreign => {
                let problem = format!("{text} is no named parameter; write :name and declare it");
                problems.push(SqlProblem::at(place, problem));
            }
            Token::Word | Token::Parameter | Token::Close | Token::Other => {}
        }
    }

    fn finish(&self, written: &Written<'_>, problems: &mut Vec<SqlProblem>) {
        if !self.begun {
            let place = Place { start: 0, end: written.sql.len() };
            problems.push(SqlProblem::at(place, "there is no SQL".to_owned()));
        }
        let never_closed =
            |place: &Place| SqlProblem::at(*place, "this parenthesis is never closed".to_owned());
        problems.extend(self.open.iter().map(never_closed));
    }
}

fn either(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.len() <= MAX_NAME_CHARS
}

#[cfg(test)]
mod tests {
    use super::super::{Query, Statement};
    use super::*;

    fn query(sql: &str, parameters: &[&'static str]) -> Query {
        Query {
            name: "open_hits",
            sql: sql.to_owned(),
            parameters: parameters.iter().map(|name| (*name, ValueKind::Text)).collect(),
            columns: vec![("HIT_ID", ValueKind::Text)],
        }
    }

    fn problems(query: Query) -> Vec<(String, Option<String>)> {
        let sql = query.sql.clone();
        let error = query.checked().unwrap_err();
        let shown = |problem: SqlProblem| {
            (problem.problem, problem.place.map(|place| sql[place.start..place.end].to_owned()))
        };
        error.problems.into_iter().map(shown).collect()
    }

    fn only(query: Query) -> (String, Option<String>) {
        let mut found = problems(query);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    #[test]
    fn a_store_puts_placeholders_where_the_parameters_are() {
        let sql = "select ':a', a::text from t where a = :a and b = :b or c = :a -- :c\n;";
        let query = query(sql, &["b", "a"]).checked().unwrap();
        let rendered = query.template().render(|at| format!("${}", at + 1));
        assert_eq!(
            rendered,
            "select ':a', a::text from t where a = $2 and b = $1 or c = $2 -- :c\n"
        );
        assert_eq!(query.template().text(), sql);
    }

    #[test]
    fn parameters_that_do_not_meet_are_all_named_with_their_place() {
        let found = problems(query("select :a, :custmer from t where :b", &["customer", "a"]));
        let declared = "declared: :customer, :a";
        assert_eq!(
            found,
            [
                (
                    "the parameter customer is declared, but :customer is not in the text"
                        .to_owned(),
                    None
                ),
                (
                    format!("the parameter :custmer is not declared; {declared}"),
                    Some(":custmer".to_owned())
                ),
                (format!("the parameter :b is not declared; {declared}"), Some(":b".to_owned())),
            ]
        );
    }

    #[test]
    fn one_statement_of_the_right_kind() {
        assert!(
            query("  -- why\n WITH x as (select 1) select * from x ; -- end", &[])
                .checked()
                .is_ok()
        );
        let (problem, place) = only(query("select 1; select 2", &[]));
        assert!(problem.starts_with("one statement only"), "{problem}");
        assert_eq!(place.as_deref(), Some(";"));
        let (problem, place) = only(query("update t set a = 1", &[]));
        assert_eq!(problem, "it begins with \"update\", not with select or with");
        assert_eq!(place.as_deref(), Some("update"));
        assert_eq!(only(query(" -- nothing", &[])).0, "there is no SQL");
        for sql in ["commit", "begin", "select 1", "drop table t", "set x = 1"] {
            let statement = Statement { name: "s", sql: sql.to_owned(), parameters: vec![] };
            assert!(statement.checked().is_err(), "{sql}");
        }
        let sql = "insert into t values (:a)".to_owned();
        let parameters = vec![("a", ValueKind::Integer)];
        assert!(Statement { name: "s", sql, parameters }.checked().is_ok());
    }

    #[test]
    fn what_would_break_out_of_the_statement_around_it_is_refused() {
        let (problem, place) = only(query("select 1) q; --", &[]));
        assert_eq!((&*problem, place.as_deref()), ("this parenthesis was never opened", Some(")")));
        assert_eq!(only(query("select (1", &[])).0, "this parenthesis is never closed");
        assert!(only(query("select 'a", &[])).0.contains("has no end"));
    }

    #[test]
    fn a_placeholder_of_a_database_would_take_the_value_of_another() {
        for foreign in ["$1", "?1", "$customer"] {
            let (problem, place) = only(query(&format!("select :a, {foreign}"), &["a"]));
            assert_eq!(
                problem,
                format!("{foreign} is no named parameter; write :name and declare it")
            );
            assert_eq!(place.as_deref(), Some(foreign));
        }
    }

    #[test]
    fn names_are_names() {
        let found = problems(query("select 1", &["a b"]));
        assert!(found[0].0.contains("\"a b\" is no name"), "{found:?}");
        let twice = Query {
            columns: vec![("ID", ValueKind::Text), ("id", ValueKind::Text)],
            ..query("select 1", &[])
        };
        assert_eq!(only(twice).0, "the column id stands there twice");
        let none = Query { columns: vec![], ..query("select 1", &[]) };
        assert!(only(none).0.contains("must declare the columns"));
    }

    #[test]
    fn a_place_in_the_rendered_text_is_found_in_the_authors() {
        let sql = "select naam from t where id = :id and y";
        let query = query(sql, &["id"]).checked().unwrap();
        let placeholder = |_| "$1::text".to_owned();
        let rendered = query.template().render(placeholder);
        let find = |word: &str| {
            let place = query.template().place_of(rendered.find(word).unwrap(), placeholder)?;
            Some(&sql[place.start..place.end])
        };
        assert_eq!(find("naam"), Some("naam"));
        assert_eq!(find("$1"), Some(":id"));
        assert_eq!(find("::text"), Some(":id"));
        assert_eq!(find("y"), Some("y"));
        let end = query.template().place_of(rendered.len(), placeholder).unwrap();
        assert_eq!(end, Place { start: sql.len(), end: sql.len() });
        assert_eq!(query.template().place_of(rendered.len() + 1, placeholder), None);
    }

    #[test]
    fn an_error_says_it_in_one_line() {
        let error = query("select :b", &[]).checked().unwrap_err();
        assert_eq!(
            error.to_string(),
            "the SQL of open_hits: the parameter :b is not declared; declared: none are (at byte 7)"
        );
    }
}
