//! Cases of an event, with the actions that they use.

use std::time::Duration;

use dipmo_api::Stay;
use dipmo_cel::{Type, Value};

use super::effects::{Effects, all};
use super::expressions::Compiler;
use super::process::Builder;
use super::unknown;
use crate::declared::case::{Case, Complaint, Step, Verdict};
use crate::declared::template::Template;
use crate::declared::variables::Types;
use crate::model::case::{self, Target};
use crate::problem::{Problem, codes};
use crate::{OneOrMany, Problems};

/// How long a message that came too early waits, unless its case says otherwise.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// Builds the cases of one event.
pub(super) struct Cases<'a> {
    pub(super) builder: &'a Builder<'a>,
    pub(super) types: &'a Types,
}

impl Cases<'_> {
    pub(super) fn case(&self, case: &case::Case, problems: &mut Problems) -> Option<Case> {
        let states = self.states(case, problems);
        let compiler = self.compiler();
        let when = case.when.as_ref();
        let when = all(when.map(|when| compiler.expression(when, &Type::Bool, problems)));
        if case.go.is_empty() {
            self.only_with_go(case, problems);
        }
        let verdict = self.verdict(case, &compiler, problems);
        Some(Case { states: states?, when: when?, verdict: verdict? })
    }

    fn verdict(
        &self,
        case: &case::Case,
        compiler: &Compiler<'_>,
        problems: &mut Problems,
    ) -> Option<Verdict> {
        if let Some(stay) = &case.stay {
            return Some(Verdict::Stay(match stay.value {
                case::Stay::Duplicate => Stay::Duplicate,
                case::Stay::Stale => Stay::Stale,
                case::Stay::Nothing => Stay::Nothing,
            }));
        }
        if let Some(park) = &case.park {
            let until = compiler.expression(&park.until, &Type::Int, problems)?;
            let at_most = park.wait.as_ref().map_or(PATIENCE, |wait| wait.value);
            return Some(Verdict::Park { until, at_most });
        }
        if let Some(reject) = &case.reject {
            return complaint(reject, compiler, problems).map(Verdict::Reject);
        }
        if let Some(retry) = &case.retry {
            return complaint(retry, compiler, problems).map(Verdict::Retry);
        }
        self.step(case, compiler, problems).map(|step| Verdict::Go(Box::new(step)))
    }

    fn step(
        &self,
        case: &case::Case,
        compiler: &Compiler<'_>,
        problems: &mut Problems,
    ) -> Option<Step> {
        let path = self.path(&case.go, problems);
        let set: Vec<_> = case
            .set
            .iter()
            .map(|(name, value)| {
                let (at, wanted) = self.builder.data_field(name, problems)?;
                Some((at, compiler.value(value, &wanted, problems)?))
            })
            .collect();
        let failure = all(case.fail.as_ref().map(|fail| complaint(fail, compiler, problems)));
        let mut step = Step { path: path?, ..Step::default() };
        let mut is_whole = true;
        let process = self.builder.process;
        for name in case.actions.iter() {
            let Some(action) = process.actions.get(name) else {
                let known = process.actions.iter().map(|(name, _)| name.as_str());
                problems.push(unknown("action", name, name.place, known));
                is_whole = false;
                continue;
            };
            is_whole &= self.add(&mut step, &action.write, &action.send, &action.timers, problems);
        }
        is_whole &= self.add(&mut step, &case.write, &case.send, &case.timers, problems);
        step.set = set.into_iter().collect::<Option<_>>()?;
        step.failure = failure?;
        is_whole.then_some(step)
    }

    /// Adds effects to a step; false when some could not be built.
    fn add(
        &self,
        step: &mut Step,
        writes: &OneOrMany<crate::model::action::Write>,
        sends: &OneOrMany<crate::model::action::Send>,
        timers: &OneOrMany<crate::model::action::Timer>,
        problems: &mut Problems,
    ) -> bool {
        let effects = Effects { builder: self.builder, types: self.types };
        let (written, sent, set) = (step.writes.len(), step.sends.len(), step.timers.len());
        step.writes.extend(writes.iter().filter_map(|write| effects.write(write, problems)));
        step.sends.extend(sends.iter().filter_map(|send| effects.send(send, problems)));
        step.timers.extend(timers.iter().filter_map(|timer| effects.timer(timer, problems)));
        step.writes.len() == written + writes.len()
            && step.sends.len() == sent + sends.len()
            && step.timers.len() == set + timers.len()
    }

    fn path(&self, go: &OneOrMany<Target>, problems: &mut Problems) -> Option<Vec<&'static str>> {
        if let [Target::Same(_)] = &go[..] {
            return Some(Vec::new());
        }
        let states: Vec<_> = go
            .iter()
            .map(|target| match target {
                Target::State(state) => self.builder.state(state, problems),
                Target::Same(place) => {
                    let message = "`same` stands alone: a path names each of its states";
                    problems.push(Problem::error(codes::VALUE_INVALID, *place, message));
                    None
                }
            })
            .collect();
        states.into_iter().collect()
    }

    fn states(
        &self,
        case: &case::Case,
        problems: &mut Problems,
    ) -> Option<Option<Vec<&'static str>>> {
        if case.states.is_empty() {
            return Some(None);
        }
        let states: Vec<_> =
            case.states.iter().map(|state| self.builder.state(state, problems)).collect();
        states.into_iter().collect::<Option<Vec<_>>>().map(Some)
    }

    /// What does nothing without a step.
    fn only_with_go(&self, case: &case::Case, problems: &mut Problems) {
        let lost = [
            ("set", !case.set.is_empty()),
            ("do", !case.actions.is_empty()),
            ("write", !case.write.is_empty()),
            ("send", !case.send.is_empty()),
            ("timers", !case.timers.is_empty()),
            ("fail", case.fail.is_some()),
        ];
        for (key, _) in lost.iter().filter(|(_, is_there)| *is_there) {
            let message = format!("`{key}` does something only in a case that has `go`");
            let hint = "to act without moving, write `go: same`";
            problems.push(Problem::error(codes::VALUE_INVALID, case.place, message).hint(hint));
        }
    }

    fn compiler(&self) -> Compiler<'_> {
        Compiler { files: self.builder.files, scope: self.types.scope() }
    }
}

fn complaint(
    complaint: &case::Complaint,
    compiler: &Compiler<'_>,
    problems: &mut Problems,
) -> Option<Complaint> {
    let code = || Template::Literal(Value::from(complaint.code.as_str()));
    let message = match &complaint.message {
        None => code(),
        Some(message) => compiler.value(message, &Type::String, problems)?,
    };
    Some(Complaint { code: code(), message })
}
