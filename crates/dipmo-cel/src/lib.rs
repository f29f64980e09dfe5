//! The Common Expression Language ([CEL](https://cel.dev)) for decisions: parsed, checked against types, and run
//! within a limit.
//!
//! An expression is compiled once, against the variables it may read and the type it is to give; every flaw has
//! its place in the source, and a hint where one helps. It is then run as often as messages come, on values that
//! stand in slots: no name is looked up, and what is read is borrowed.
//!
//! ```
//! use dipmo_cel::{Fuel, Program, Scope, Type, Value};
//!
//! let event = Type::object("event", [("customerId", Type::optional(Type::String)), ("amount", Type::Int)]);
//! let scope = Scope::new().with("event", event).with("state", Type::String);
//!
//! let flaws = Program::compile("event.custmerId != null", &scope, &Type::Bool).unwrap_err();
//! assert_eq!(flaws[0].span, 6..15);
//! assert_eq!(flaws[0].to_string(), "`event` has no field `custmerId`; did you mean `customerId`?");
//!
//! let source = "event.amount > 100 && state in ['OPEN', 'PARKED']";
//! let program = Program::compile(source, &scope, &Type::Bool).unwrap();
//! assert_eq!(program.paths(0), Some(vec!["amount".to_owned()]));
//!
//! let event: Value = serde_json::from_str(r#"{"amount": 250}"#).unwrap();
//! let value = program.run(&[event, "OPEN".into()], &mut Fuel::new(1_000)).unwrap();
//! assert_eq!(value, Value::Bool(true));
//! ```
//!
//! Values come from JSON: [`Pick`] keeps only the fields that programs read, which [`Program::paths`] tells, and
//! [`Type::conform`] makes of text and numbers what was declared, or says why it cannot.
//!
//! # Why our own
//!
//! The `cel` crate evaluates expressions, but it checks no types before it runs them, so that a field which no event
//! has is found by the first message and not by whoever wrote it; it has no limit on work; and it brings a runtime
//! for generated parsers. CEL is small. Here that crate is what it is best at: another opinion. The tests run both on
//! the same expressions and want the same answers.
//!
//! # Invariants
//!
//! - No source and no value makes it panic, overflow the stack, or work on without end.
//! - No message about a value shows it: failures name fields and types, because they are logged.
//! - It knows nothing of dipmo.
//!
//! `docs/guide/expressions.md` is the language as a user needs it. What differs from CEL on purpose is said there.

mod check;
mod flaw;
mod fuel;
mod function;
mod hint;
mod node;
mod pattern;
mod program;
mod run;
mod scope;
mod syntax;
mod types;
mod value;

pub use self::flaw::{Failure, Flaw};
pub use self::fuel::Fuel;
pub use self::program::Program;
pub use self::scope::Scope;
pub use self::types::{Object, Type};
pub use self::value::{Map, Mismatch, Pick, Value};
