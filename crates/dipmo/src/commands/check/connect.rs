//! What Kafka, the database and Salesforce say.

use std::process::ExitCode;

use anyhow::Result;
use dipmo::wiring::Pipeline;
use dipmo::wiring::probe::{Limits, Row, probe};
use dipmo_config::{Problem, Problems};
use serde_json::{Value, json};

use super::{Args, code};
use crate::commands::files::show;
use crate::console::{err, has_colour, out, painted};
use crate::output::Output;

const GREEN: u8 = 32;
const RED: u8 = 31;
const YELLOW: u8 = 33;

/// Asks everybody, prints a row for each answer, and then what is wrong.
pub(super) async fn ask(args: &Args, pipeline: &Pipeline) -> Result<ExitCode> {
    if args.output.format == Output::Text {
        show(pipeline.warnings(), pipeline.files());
        err("asking Kafka, the database and Salesforce …");
    }
    let rows = probe(pipeline, Limits::default()).await;
    let mut problems = Problems::default();
    problems.extend(rows.iter().filter_map(problem).cloned());
    match args.output.format {
        Output::Text => {
            out(&table(&rows, has_colour()));
            show(&problems, pipeline.files());
        }
        Output::Json => {
            let mut all = pipeline.warnings().clone();
            all.extend(problems.iter().cloned());
            let asked: Vec<Value> = rows.iter().map(as_json).collect();
            let all = all.to_json(pipeline.files());
            out(&json!({ "problems": all, "asked": asked }).to_string());
        }
    }
    Ok(code(&problems))
}

fn problem(row: &Row) -> Option<&Problem> {
    row.answer.as_ref().err().map(AsRef::as_ref)
}

/// A line for each answer.
fn table(rows: &[Row], has_colour: bool) -> String {
    let width = |of: fn(&Row) -> &str| {
        rows.iter().map(|row| of(row).chars().count()).max().unwrap_or_default()
    };
    let (at, what) = (width(|row| &row.at), width(|row| &row.what));
    let line = |row: &Row| {
        let (mark, colour) = match &row.answer {
            Ok(_) => ("ok     ", GREEN),
            Err(_) if row.is_error() => ("WRONG  ", RED),
            Err(_) => ("look   ", YELLOW),
        };
        let answer = match &row.answer {
            Ok(answer) => answer.as_str(),
            Err(problem) => problem.message.as_str(),
        };
        let mark = painted(mark, colour, has_colour);
        format!("{mark}  {:<at$}  {:<what$}  {answer}", row.at, row.what)
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn as_json(row: &Row) -> Value {
    let Row { what, at, answer } = row;
    match answer {
        Ok(answer) => json!({ "what": what, "at": at, "ok": true, "answer": answer }),
        Err(problem) => {
            let (code, message) = (problem.code.as_str(), &problem.message);
            json!({ "what": what, "at": at, "ok": false, "code": code, "answer": message })
        }
    }
}

#[cfg(test)]
mod tests {
    use dipmo_config::problem::codes;

    use super::*;

    #[test]
    fn a_row_says_whom_it_asked_for_what_and_the_answer() {
        let wrong = Problem::error(codes::VALUE_INVALID, None, "it is not there");
        let row =
            |what: &str, answer| Row { what: what.to_owned(), at: "kafka".to_owned(), answer };
        let rows = [row("topic a", Ok("3 partitions".to_owned())), row("b", Err(Box::new(wrong)))];
        let shown = table(&rows, false);
        assert_eq!(
            shown,
            "ok       kafka  topic a  3 partitions\nWRONG    kafka  b        it is not there"
        );
    }
}
