//! Regular expressions that cannot run away.

use regex::{Regex, RegexBuilder};

use crate::flaw::Trouble;
use crate::fuel::Fuel;

/// A compiled pattern, and what a byte of text costs with it.
///
/// A search takes time in proportion to the text and, at worst, to the size of the pattern too; so a large one costs
/// more.
#[derive(Debug)]
pub(crate) struct Pattern {
    regex: Regex,
    cost: u64,
}

/// What patterns may cost.
struct Size {
    /// Bytes of memory of the compiled pattern.
    memory: usize,
    /// Steps to compile it.
    compiling: u64,
    /// Steps for each byte of text.
    searching: u64,
}

const LIGHT: Size = Size { memory: 128 << 10, compiling: 2_000, searching: 2 };
/// Such as `\w{1,64}`, since there are many letters.
const HEAVY: Size = Size { memory: 10 << 20, compiling: 20_000, searching: 32 };

/// Of a pattern that is known only while it runs, and may come from a payload.
const LONGEST: usize = 1_000;

impl Pattern {
    /// Compiles what is written out in a source, or says why not.
    pub(crate) fn written(text: &str, fuel: &mut Fuel) -> Result<Self, String> {
        let too_much = |_| "the patterns of this expression are too much work".to_owned();
        fuel.spend(LIGHT.compiling).map_err(too_much)?;
        if let Ok(light) = Self::sized(text, &LIGHT) {
            return Ok(light);
        }
        fuel.spend(HEAVY.compiling).map_err(too_much)?;
        Self::sized(text, &HEAVY).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "this regular expression is too large".to_owned(),
            other => {
                // The last line says what is wrong; those before it draw the pattern.
                let text = other.to_string();
                let said = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
                format!("this is no regular expression: {said}")
            }
        })
    }

    /// Compiles what was made by an expression.
    pub(crate) fn made(text: &str, fuel: &mut Fuel) -> Result<Self, Trouble> {
        fuel.spend(LIGHT.compiling)?;
        let compiled = if text.len() > LONGEST { None } else { Self::sized(text, &LIGHT).ok() };
        compiled.ok_or_else(|| Trouble::said("this is no regular expression, or too large a one"))
    }

    /// Whether it matches anywhere in the text.
    pub(crate) fn is_match(&self, text: &str, fuel: &mut Fuel) -> Result<bool, Trouble> {
        fuel.spend((text.len() as u64).saturating_mul(self.cost))?;
        Ok(self.regex.is_match(text))
    }

    fn sized(text: &str, size: &Size) -> Result<Self, regex::Error> {
        let regex = RegexBuilder::new(text).size_limit(size.memory).build()?;
        Ok(Self { regex, cost: size.searching })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_would_write_compiles_and_a_bomb_does_not() {
        let cost =
            |text: &str| Pattern::written(text, &mut Fuel::default()).map(|pattern| pattern.cost);
        assert_eq!(cost("^[A-Z]{2}[0-9]{2}([ ]?[A-Z0-9]{4}){3,7}$"), Ok(LIGHT.searching));
        assert_eq!(cost(r"^\w{1,64}@\w{1,64}$"), Ok(HEAVY.searching));
        assert_eq!(cost(r"\w{1000}{1000}"), Err("this regular expression is too large".to_owned()));
        assert_eq!(cost("("), Err("this is no regular expression: unclosed group".to_owned()));
    }

    #[test]
    fn one_expression_has_room_for_some_heavy_patterns_only() {
        let mut fuel = Fuel::default();
        let compiled =
            (0..100).take_while(|_| Pattern::written(r"\w{1,64}@\w{1,64}", &mut fuel).is_ok());
        assert_eq!(compiled.count(), 4);
    }

    #[test]
    fn a_pattern_from_a_payload_has_tighter_limits() {
        let made = |text: &str| Pattern::made(text, &mut Fuel::default()).is_ok();
        assert!(made("^[a-z]+$"));
        assert!(!made(r"\w{1,64}@\w{1,64}"));
        assert!(!made(&"a".repeat(1_001)));
    }

    #[test]
    fn a_search_costs_what_it_looks_through() {
        let pattern = Pattern::written("b", &mut Fuel::default()).unwrap();
        assert!(pattern.is_match(&"a".repeat(100), &mut Fuel::new(200)).is_ok());
        assert!(pattern.is_match(&"a".repeat(101), &mut Fuel::new(200)).is_err());
    }
}
