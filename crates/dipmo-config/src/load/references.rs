//! References to what is outside of the file: `${env:NAME}`, `${env:NAME:-default}`, `${file:/path}`.

use std::path::Path;

use super::{Environment, References};
use crate::node::{Entry, Kind, Node, Scalar, Style};
use crate::problem::codes;
use crate::{Place, Problem, Problems};

/// The sections that are the same wherever they run: nothing in them comes from outside.
const WITHOUT: [&str; 4] = ["tables", "queries", "statements", "processes"];

/// Puts what references stand for into the tree.
pub(super) fn resolve(root: &mut Node, references: References<'_>, problems: &mut Problems) {
    let Kind::Map(entries) = &mut root.kind else { return };
    for Entry { key, value, .. } in entries {
        let mut walk = Walk { references, problems, refused: WITHOUT.contains(&key.as_str()) };
        walk.node(value);
    }
}

struct Walk<'a> {
    references: References<'a>,
    problems: &'a mut Problems,
    refused: bool,
}

impl Walk<'_> {
    /// Not deeper than trees can be.
    fn node(&mut self, node: &mut Node) {
        let place = node.place;
        match &mut node.kind {
            Kind::Scalar(scalar) => self.scalar(scalar, place),
            Kind::List(items) => items.iter_mut().for_each(|item| self.node(item)),
            Kind::Map(entries) => entries.iter_mut().for_each(|entry| self.node(&mut entry.value)),
        }
    }

    fn scalar(&mut self, scalar: &mut Scalar, place: Place) {
        if !scalar.text.contains("${") {
            return;
        }
        if self.refused {
            if scalar.text.contains("${env:") || scalar.text.contains("${file:") {
                let message = "a reference means nothing here: processes, tables and SQL are the same everywhere";
                let hint = "references stand in `store`, `kafka`, `sources`, `destinations`, `engine`, `retention`, `slo` and `admin`";
                self.problems
                    .push(Problem::error(codes::REFERENCE_INVALID, place, message).hint(hint));
            }
            return;
        }
        let parts = match parts(&scalar.text) {
            Ok(parts) => parts,
            Err(problem) => {
                let hint = "write `${env:NAME}`, `${env:NAME:-default}` or `${file:/path}`; `$${` is the text `${`";
                self.problems
                    .push(Problem::error(codes::REFERENCE_INVALID, place, problem).hint(hint));
                return;
            }
        };
        if parts.iter().all(|part| matches!(part, Part::Text(_))) {
            // Only `$${`, which is a text.
            let texts = parts.iter().filter_map(|part| self.look_up(part, place));
            scalar.text = texts.collect();
            scalar.style = Style::Double;
            return;
        }
        scalar.reference = Some(scalar.text.clone());
        let found: Vec<Option<String>> =
            parts.iter().map(|part| self.look_up(part, place)).collect();
        // Where a part is missing the whole stays as it is, and nothing more is said about it.
        if let Some(found) = found.into_iter().collect::<Option<String>>() {
            scalar.text = found;
        }
    }

    /// What a part stands for; `None` when nobody is to look, or after a problem.
    fn look_up(&mut self, part: &Part<'_>, place: Place) -> Option<String> {
        let environment = match (part, self.references) {
            (Part::Text(text), _) => return Some((*text).to_owned()),
            (_, References::Keep) => return None,
            (_, References::Resolve(environment)) => environment,
        };
        match found(part, environment) {
            Ok(value) => Some(value),
            Err((message, hint)) => {
                let problem = Problem::error(codes::SECRET_MISSING, place, message);
                self.problems.push(problem.hint(hint));
                None
            }
        }
    }
}

/// What a reference stands for, or what is missing and what to do.
fn found(part: &Part<'_>, environment: &dyn Environment) -> Result<String, (String, String)> {
    match *part {
        Part::Text(text) => Ok(text.to_owned()),
        Part::Variable { name, default } => match environment.variable(name) {
            // An empty variable is as good as none: it is how a deployment says that it has none.
            Ok(Some(value)) if !value.is_empty() => Ok(value),
            Ok(_) => default.map(str::to_owned).ok_or_else(|| {
                let message = format!("the variable {name} is not set");
                (message, format!("set it, or give a default: `${{env:{name}:-…}}`"))
            }),
            Err(error) => Err((
                format!("the variable {name} cannot be read: {error}"),
                "set it anew".to_owned(),
            )),
        },
        Part::File(path) => match environment.file(Path::new(path)) {
            // Editors end a file with a line break that nobody means.
            Ok(text) => Ok(text.trim_end_matches(['\r', '\n']).to_owned()),
            Err(error) => {
                let hint = "check that it is there and may be read".to_owned();
                Err((format!("the file {path} cannot be read: {error}"), hint))
            }
        },
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Part<'a> {
    Text(&'a str),
    Variable { name: &'a str, default: Option<&'a str> },
    File(&'a str),
}

/// The parts of a text.
fn parts(text: &str) -> Result<Vec<Part<'_>>, String> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            parts.push(Part::Text(&rest[..at - 1]));
            parts.push(Part::Text("${"));
            rest = &rest[at + 2..];
            continue;
        }
        parts.push(Part::Text(&rest[..at]));
        let inside = &rest[at + 2..];
        let end = inside.find('}').ok_or("a reference has no end")?;
        parts.push(reference(&inside[..end])?);
        rest = &inside[end + 1..];
    }
    parts.push(Part::Text(rest));
    Ok(parts)
}

fn reference(inside: &str) -> Result<Part<'_>, String> {
    let shown = crate::node::cut(inside);
    if let Some(path) = inside.strip_prefix("file:") {
        return if path.is_empty() {
            Err("the path is missing".to_owned())
        } else {
            Ok(Part::File(path))
        };
    }
    let Some(variable) = inside.strip_prefix("env:") else {
        return Err(format!("`${{{shown}}}` is no reference"));
    };
    let (name, default) = match variable.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (variable, None),
    };
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(valid) {
        return Err(format!("`${{{shown}}}` names no variable"));
    }
    Ok(Part::Variable { name, default })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_hold_several_references() {
        let found = parts("http://${env:HOST}:${env:PORT:-80}/$${x}${file:/run/a}").unwrap();
        let parts: Vec<_> = found.into_iter().filter(|part| *part != Part::Text("")).collect();
        assert_eq!(
            parts,
            [
                Part::Text("http://"),
                Part::Variable { name: "HOST", default: None },
                Part::Text(":"),
                Part::Variable { name: "PORT", default: Some("80") },
                Part::Text("/"),
                Part::Text("${"),
                Part::Text("x}"),
                Part::File("/run/a"),
            ]
        );
    }

    #[test]
    fn what_is_no_reference_says_so() {
        for text in ["${HOME}", "${env:}", "${env:A B}", "${env:A", "${file:}", "${vault:x}"] {
            assert!(parts(text).is_err(), "{text}");
        }
    }
}
