//! Random expressions that are well typed.

use dipmo_cel::{Scope, Type};
use fastrand::Rng;

pub(crate) struct Generator {
    rng: Rng,
    /// All names, also those of the macros around.
    variables: Vec<(String, Type)>,
}

impl Generator {
    pub(crate) fn new(rng: Rng, scope: &Scope) -> Self {
        Self { rng, variables: scope.variables().to_vec() }
    }

    /// An expression and its type.
    pub(crate) fn expression(&mut self) -> (String, Type) {
        let types = [
            Type::Bool,
            Type::Bool,
            Type::Int,
            Type::Uint,
            Type::Double,
            Type::String,
            Type::Timestamp,
            Type::Duration,
            Type::list(Type::Int),
            Type::list(Type::String),
        ];
        let ty = self.pick(&types);
        let depth = self.rng.u32(1..5);
        (self.of(&ty, depth), ty)
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.rng.usize(..from.len())].clone()
    }

    /// An expression of this type, at most so deep.
    fn of(&mut self, ty: &Type, depth: u32) -> String {
        if depth == 0 || self.rng.u8(..8) == 0 {
            return self.leaf(ty);
        }
        let below = depth - 1;
        if self.rng.u8(..10) == 0 {
            let condition = self.of(&Type::Bool, below);
            return format!("({condition} ? {} : {})", self.of(ty, below), self.of(ty, below));
        }
        match ty {
            Type::Bool => self.bool(below),
            Type::Int => self.int(below),
            Type::Uint => self.binary(&Type::Uint, &["+", "-", "*", "/", "%"], below),
            // What is not a number is ordered differently there, which one row of the table proves.
            Type::Double if self.rng.u8(..4) == 0 => format!("({} / 4.0)", self.of(ty, below)),
            Type::Double => self.binary(&Type::Double, &["+", "-", "*"], below),
            Type::String => self.string(below),
            Type::Timestamp => {
                let sign = self.pick(&["+", "-"]);
                format!("({} {sign} {})", self.of(ty, below), self.of(&Type::Duration, below))
            }
            Type::Duration => self.binary(&Type::Duration, &["+", "-"], below),
            Type::List(of) => self.list(of, below),
            _ => self.leaf(ty),
        }
    }

    /// A variable of this type, or a literal.
    fn leaf(&mut self, ty: &Type) -> String {
        let known: Vec<String> = self
            .variables
            .iter()
            .filter(|(_, known)| known == ty)
            .map(|(name, _)| name.clone())
            .collect();
        if !known.is_empty() && self.rng.bool() {
            return self.pick(&known);
        }
        let literals: &[&str] = match ty {
            Type::Bool => &["true", "false"],
            Type::Int => {
                &["0", "1", "-1", "2", "7", "100", "9223372036854775807", "-9223372036854775808"]
            }
            Type::Uint => &["0u", "1u", "3u", "18446744073709551615u"],
            Type::Double => &["0.0", "1.0", "-0.5", "1e10", "3.25"],
            Type::String => &["''", "'a'", "'text'", "'żó'", "'a,b'", "','"],
            Type::Timestamp => &["timestamp('2024-01-01T00:00:00Z')", "timestamp(1000000000)"],
            Type::Duration => &["duration('1s')", "duration('-2h')", "duration('1.5s')"],
            Type::List(of) if **of == Type::Int => &["[]", "[1]", "[0, 2, 5]"],
            _ => &["['a']", "['b', '', 'żó']"],
        };
        self.pick(literals).to_owned()
    }

    fn binary(&mut self, ty: &Type, signs: &[&str], depth: u32) -> String {
        let sign = self.pick(signs);
        format!("({} {sign} {})", self.of(ty, depth), self.of(ty, depth))
    }

    fn bool(&mut self, depth: u32) -> String {
        match self.rng.u8(..8) {
            0 => format!("!{}", self.of(&Type::Bool, depth)),
            1 | 2 => self.binary(&Type::Bool, &["&&", "||", "==", "!="], depth),
            3 => {
                let numbers = [Type::Int, Type::Uint, Type::Double];
                let (left, right) = (self.pick(&numbers), self.pick(&numbers));
                let sign = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
                format!("({} {sign} {})", self.of(&left, depth), self.of(&right, depth))
            }
            4 => {
                let ty = self.pick(&[Type::String, Type::Timestamp, Type::Duration, Type::Bool]);
                self.binary(&ty, &["==", "!=", "<", "<=", ">", ">="], depth)
            }
            5 => {
                let of = self.pick(&[Type::Int, Type::String]);
                format!("({} in {})", self.of(&of, depth), self.of(&Type::list(of), depth))
            }
            6 => {
                let function = self.pick(&["contains", "startsWith", "endsWith"]);
                format!(
                    "{}.{function}({})",
                    self.of(&Type::String, depth),
                    self.of(&Type::String, depth)
                )
            }
            _ => {
                let name = self.pick(&["all", "exists", "exists_one"]);
                self.fold(name, &Type::Bool, depth)
            }
        }
    }

    fn int(&mut self, depth: u32) -> String {
        match self.rng.u8(..8) {
            0..=2 => self.binary(&Type::Int, &["+", "-", "*", "/", "%"], depth),
            3 => format!("-({})", self.of(&Type::Int, depth)),
            4 => {
                let ty = self.pick(&[Type::String, Type::list(Type::Int)]);
                format!("size({})", self.of(&ty, depth))
            }
            5 => format!("{}[{}]", self.of(&Type::list(Type::Int), depth), self.of(&Type::Int, 0)),
            6 => format!(
                "{}.indexOf({})",
                self.of(&Type::String, depth),
                self.of(&Type::String, depth)
            ),
            _ => {
                let part = self.pick(&[
                    "FullYear",
                    "Month",
                    "Date",
                    "DayOfWeek",
                    "DayOfYear",
                    "Hours",
                    "Milliseconds",
                ]);
                format!("{}.get{part}()", self.of(&Type::Timestamp, depth))
            }
        }
    }

    fn string(&mut self, depth: u32) -> String {
        let text = self.of(&Type::String, depth);
        match self.rng.u8(..7) {
            0 | 1 => format!("({text} + {})", self.of(&Type::String, depth)),
            2 => {
                let ty = self.pick(&[Type::Int, Type::Uint, Type::Bool, Type::String]);
                format!("string({})", self.of(&ty, depth))
            }
            3 => format!("{text}.substring({})", self.of(&Type::Int, 0)),
            4 => format!(
                "{text}.replace({}, {})",
                self.of(&Type::String, 0),
                self.of(&Type::String, 0)
            ),
            5 => {
                let function = self.pick(&["lowerAscii", "upperAscii", "trim"]);
                format!("{text}.{function}()")
            }
            _ => format!("{}.join({text})", self.of(&Type::list(Type::String), depth)),
        }
    }

    fn list(&mut self, of: &Type, depth: u32) -> String {
        match self.rng.u8(..5) {
            0 => self.binary(&Type::list(of.clone()), &["+"], depth),
            1 => format!("[{}, {}]", self.of(of, depth), self.of(of, depth)),
            2 if *of == Type::String => format!("{}.split(',')", self.of(of, depth)),
            2 | 3 => self.fold("map", of, depth),
            _ => {
                let list = self.of(&Type::list(of.clone()), depth);
                let body = self.within(of, &Type::Bool, depth);
                format!("{list}.filter({}, {})", body.0, body.1)
            }
        }
    }

    fn fold(&mut self, name: &str, body: &Type, depth: u32) -> String {
        let element = self.pick(&[Type::Int, Type::String]);
        let list = self.of(&Type::list(element.clone()), depth);
        let (variable, body) = self.within(&element, body, depth);
        format!("{list}.{name}({variable}, {body})")
    }

    /// A name for an element, and an expression that may use it.
    fn within(&mut self, element: &Type, body: &Type, depth: u32) -> (String, String) {
        let name = format!("x{}", self.variables.len());
        self.variables.push((name.clone(), element.clone()));
        let body = self.of(body, depth);
        self.variables.pop();
        (name, body)
    }
}
