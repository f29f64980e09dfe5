//! Legs: their cases, compiled.

use dipmo_cel::{Type, Value};

use super::expressions::Compiler;
use crate::declared::leg::{DeclaredLeg, EVENT, LegCase, LegSend, LegVerdict, item_scope, scope};
use crate::declared::template::Template;
use crate::model::case::Complaint;
use crate::model::leg as model;
use crate::problem::{Problem, codes};
use crate::{Files, Map, Name, Place, Problems};

/// The legs that can be, in the order of the file.
pub(super) fn build(
    legs: &Map<model::Leg, Name>,
    files: &Files,
    problems: &mut Problems,
) -> Vec<DeclaredLeg> {
    legs.iter().filter_map(|(name, leg)| one(name, leg, files, problems)).collect()
}

fn one(
    name: &Name,
    leg: &model::Leg,
    files: &Files,
    problems: &mut Problems,
) -> Option<DeclaredLeg> {
    let built: Vec<_> = leg.cases.iter().map(|it| case(it, files, problems)).collect();
    unreachable(leg, problems);
    let cases = built.into_iter().collect::<Option<Vec<_>>>()?;
    let reads_value = cases.iter().any(LegCase::reads_value);
    Some(DeclaredLeg { name: name.to_string(), cases, reads_value })
}

/// Behind a case that is for every record nobody is asked.
fn unreachable(leg: &model::Leg, problems: &mut Problems) {
    let all = leg.cases.iter().position(|case| case.when.is_none());
    let behind: Option<Place> = all.and_then(|all| leg.cases.get(all + 1)).map(|case| case.place);
    if let Some(place) = behind {
        let message = "no record comes this far: the case before it is for every record";
        let hint = "move it up, or give the one before it a `when`";
        problems.push(Problem::error(codes::VALUE_INVALID, place, message).hint(hint));
    }
}

fn case(case: &model::LegCase, files: &Files, problems: &mut Problems) -> Option<LegCase> {
    let compiler = Compiler { files, scope: scope() };
    let when = match &case.when {
        None => Some(None),
        Some(when) => compiler.expression(when, &Type::Bool, problems).map(Some),
    };
    let verdict = if case.drop.is_some() {
        Some(LegVerdict::Drop)
    } else if let Some(fail) = &case.fail {
        let (code, message) = complaint(fail, &compiler, problems)?;
        Some(LegVerdict::Fail { code, message })
    } else if let Some(retry) = &case.retry {
        let (code, message) = complaint(retry, &compiler, problems)?;
        Some(LegVerdict::Retry { code, message })
    } else {
        let sends: Vec<_> = case.send.iter().map(|it| send(it, files, problems)).collect();
        sends.into_iter().collect::<Option<_>>().map(LegVerdict::Send)
    };
    Some(LegCase { when: when?, verdict: verdict? })
}

fn complaint(
    complaint: &Complaint,
    compiler: &Compiler<'_>,
    problems: &mut Problems,
) -> Option<(String, Template)> {
    let code = complaint.code.to_string();
    let message = match &complaint.message {
        None => Template::Literal(Value::from(code.as_str())),
        Some(message) => compiler.value(message, &Type::String, problems)?,
    };
    Some((code, message))
}

fn send(send: &model::LegSend, files: &Files, problems: &mut Problems) -> Option<LegSend> {
    let outside = Compiler { files, scope: scope() };
    let (for_each, compiler) = match &send.for_each {
        None => (None, outside),
        Some(list) => {
            let list = outside.expression(list, &Type::list(Type::Dyn), problems)?;
            let item = match list.result() {
                Type::List(item) => item.as_ref().clone(),
                _ => Type::Dyn,
            };
            (Some(list), Compiler { files, scope: item_scope(item) })
        }
    };
    let when = match &send.when {
        None => Some(None),
        Some(when) => compiler.expression(when, &Type::Bool, problems).map(Some),
    };
    let mut made = |value: &Option<crate::ValueExpr>| match value {
        None => Some(None),
        Some(value) => compiler.value(value, &Type::Dyn, problems).map(Some),
    };
    let (key, value) = (made(&send.key), made(&send.value));
    let headers: Vec<_> = send
        .headers
        .iter()
        .map(|(name, value)| Some((name.to_string(), compiler.value(value, &Type::Dyn, problems)?)))
        .collect();
    Some(LegSend {
        to: send.to.to_string(),
        key: key?,
        value: value?,
        headers: headers.into_iter().collect::<Option<_>>()?,
        when: when?,
        for_each,
    })
}

impl LegCase {
    /// Whether anybody of it reads the value.
    fn reads_value(&self) -> bool {
        let when = self.when.as_ref().is_some_and(|when| when.uses(EVENT));
        when || match &self.verdict {
            LegVerdict::Drop => false,
            LegVerdict::Fail { message, .. } | LegVerdict::Retry { message, .. } => {
                message.uses(EVENT)
            }
            LegVerdict::Send(sends) => sends.iter().any(LegSend::reads_value),
        }
    }
}

impl LegSend {
    fn reads_value(&self) -> bool {
        let programs = self.when.iter().chain(&self.for_each);
        let templates = self.key.iter().chain(&self.value);
        let mut templates = templates.chain(self.headers.iter().map(|(_, template)| template));
        programs.into_iter().any(|program| program.uses(EVENT))
            || templates.any(|template| template.uses(EVENT))
    }
}
