//! Both implementations, with the same variables.

use std::sync::Arc;

use cel::objects::Key;
use cel::{Context, Env, extensions};
use dipmo_cel::{Fuel, Program, Scope, Type, Value};

/// Our scope with its values, and the other's.
pub(crate) struct Worlds {
    scope: Scope,
    values: Vec<Value>,
    env: Arc<Env>,
    context: Context<'static, 'static>,
}

/// What came of an expression in each.
pub(crate) struct Both {
    pub(crate) ours: Result<Value, String>,
    /// Whether ours was refused before it ran.
    pub(crate) flawed: bool,
    theirs: Result<Value, String>,
}

/// Each variable: its name, its type, and the expression that makes its value, there as here.
fn variables() -> Vec<(&'static str, Type, &'static str)> {
    vec![
        ("b", Type::Bool, "true"),
        ("i", Type::Int, "5"),
        ("j", Type::Int, "-3"),
        ("u", Type::Uint, "7u"),
        ("d", Type::Double, "2.5"),
        ("s", Type::String, "'text'"),
        ("t", Type::String, "'Żółw,x'"),
        ("li", Type::list(Type::Int), "[3, 1, 2]"),
        ("ls", Type::list(Type::String), "['text', 'a', 'bc']"),
        ("m", Type::map(Type::Int), "{'a': 1}"),
        ("at", Type::Timestamp, "timestamp('2024-02-29T13:14:15.678Z')"),
        ("du", Type::Duration, "duration('1h30m')"),
        (
            "any",
            Type::Dyn,
            "{'n': 1, 't': 'text', 'none': null, 'l': [1, 'two', null], 'o': {'deep': true}}",
        ),
    ]
}

impl Worlds {
    pub(crate) fn new() -> Self {
        let mut env = Env::stdlib();
        env.add_extension(extensions::strings).expect("the functions of text");
        let env = Arc::new(env);
        let mut context = Context::with_env(Arc::clone(&env));
        let mut scope = Scope::new();
        let mut values = Vec::new();
        for (name, ty, source) in variables() {
            let theirs = env.compile(source).expect("a program").execute(&Context::default());
            context.add_variable_from_value(name, theirs.expect("a value"));
            let program = Program::compile(source, &Scope::new(), &ty).expect("a program");
            values.push(program.run(&[], &mut Fuel::default()).expect("a value"));
            scope = scope.with(name, ty);
        }
        Self { scope, values, env, context }
    }

    pub(crate) const fn scope(&self) -> &Scope {
        &self.scope
    }

    pub(crate) fn run(&self, source: &str) -> Both {
        self.run_as(source, &Type::Dyn)
    }

    pub(crate) fn run_as(&self, source: &str, wanted: &Type) -> Both {
        let program = Program::compile(source, &self.scope, wanted);
        let flawed = program.is_err();
        let ours = program.map_err(|flaws| flaws[0].to_string()).and_then(|program| {
            program.run(&self.values, &mut Fuel::default()).map_err(|failure| failure.to_string())
        });
        let theirs = match self.env.compile(source) {
            Ok(program) => {
                program.execute(&self.context).map_err(|error| error.to_string()).map(translated)
            }
            Err(errors) => Err(errors.to_string()),
        };
        Both { ours, flawed, theirs }
    }
}

impl Both {
    /// `None` when both say the same.
    pub(crate) fn disagreement(&self, source: &str) -> Option<String> {
        let agreed = match (&self.ours, &self.theirs) {
            (Ok(ours), Ok(theirs)) => same(ours, theirs),
            (Err(_), Err(_)) => true,
            _ => false,
        };
        (!agreed).then(|| {
            format!("{source}\n    ours:   {:?}\n    theirs: {:?}", self.ours, self.theirs)
        })
    }
}

/// Equal, and what is not a number is itself.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Double(a), Value::Double(b)) => a == b || a.is_nan() && b.is_nan(),
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b))
        }
        _ => a == b,
    }
}

fn translated(value: cel::Value) -> Value {
    match value {
        cel::Value::Null => Value::Null,
        cel::Value::Bool(truth) => Value::Bool(truth),
        cel::Value::Int(number) => Value::Int(number),
        cel::Value::UInt(number) => Value::Uint(number),
        cel::Value::Float(number) => Value::Double(number),
        cel::Value::String(text) => Value::from(text.as_str()),
        cel::Value::Bytes(bytes) => Value::Bytes(bytes.as_slice().into()),
        cel::Value::Timestamp(time) => Value::Timestamp(time.timestamp_micros()),
        cel::Value::Duration(duration) => {
            Value::Duration(duration.num_microseconds().expect("a short one"))
        }
        cel::Value::List(values) => Value::list(values.iter().cloned().map(translated)),
        cel::Value::Map(map) => Value::map(map.map.iter().map(|(key, value)| {
            let name = match key {
                Key::String(name) => name.to_string(),
                other => format!("{other:?}"),
            };
            (name, translated(value.clone()))
        })),
        other => Value::from(format!("{other:?}")),
    }
}
