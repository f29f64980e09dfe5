//! Numbers and truths.

use std::num::{NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64};

use serde_json::{Value, json};

use super::{Read, invalid, scalar, wrong_type};
use crate::Problems;
use crate::node::{Node, Scalar, ScalarKind};
use crate::schema::{self, Schemas};

/// What a scalar is; a text of quotes that a reference stands in is read as if it had none.
fn kind(scalar: &Scalar) -> ScalarKind {
    if scalar.reference.is_none() {
        return scalar.kind();
    }
    Scalar { style: crate::node::Style::Plain, ..scalar.clone() }.kind()
}

impl Read for bool {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let scalar = scalar(node, "true or false", "true", problems)?;
        if let ScalarKind::Bool(value) = kind(scalar) {
            return Some(value);
        }
        // What YAML 1.1 took for a truth.
        let meant = match scalar.text.to_lowercase().as_str() {
            "no" | "off" | "n" => "false",
            _ => "true",
        };
        wrong_type(node, "true or false", meant, problems);
        None
    }

    fn schema(_: &mut Schemas) -> Value {
        schema::or_reference(&json!({"type": "boolean"}))
    }
}

/// `true`, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Yes;

impl Read for Yes {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        // The word alone, without a value, is a yes as well.
        if node.is_null() || bool::read(node, problems)? {
            return Some(Self);
        }
        problems.push(invalid(node.place, "only `true` can be meant here").hint("or leave it out"));
        None
    }

    fn schema(_: &mut Schemas) -> Value {
        json!({"const": true})
    }
}

macro_rules! whole {
    ($($type:ty, $inner:ty, $least:literal;)+) => {$(
        impl Read for $type {
            fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
                const LEAST: $inner = $least;
                let scalar = scalar(node, "a whole number", "10", problems)?;
                let ScalarKind::Integer(number) = kind(scalar) else {
                    wrong_type(node, "a whole number", "10", problems);
                    return None;
                };
                let value = <$inner>::try_from(number).ok().and_then(|it| <$type>::try_from(it).ok());
                if value.is_none() {
                    let most = <$inner>::MAX;
                    let message = format!("{} is not from {LEAST} to {most}", scalar.shown());
                    problems.push(invalid(node.place, message));
                }
                value
            }

            fn schema(_: &mut Schemas) -> Value {
                // A schema has no numbers beyond those that every tool reads.
                let most = u64::try_from(<$inner>::MAX).unwrap_or(u64::MAX).min(1 << 53);
                schema::or_reference(
                    &json!({"type": "integer", "minimum": $least, "maximum": most}),
                )
            }
        }
    )+};
}

whole! {
    u8, u8, 0; u16, u16, 0; u32, u32, 0; u64, u64, 0;
    NonZeroU8, u8, 1; NonZeroU16, u16, 1; NonZeroU32, u32, 1; NonZeroU64, u64, 1;
}

impl Read for i64 {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let scalar = scalar(node, "a whole number", "10", problems)?;
        if let ScalarKind::Integer(number) = kind(scalar) {
            return Some(number);
        }
        wrong_type(node, "a whole number", "10", problems);
        None
    }

    fn schema(_: &mut Schemas) -> Value {
        schema::or_reference(&json!({"type": "integer"}))
    }
}

/// A share, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(pub f64);

impl Read for Share {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let scalar = scalar(node, "a share from 0 to 1", "0.5", problems)?;
        let share = match kind(scalar) {
            ScalarKind::Float(share) => share,
            #[expect(clippy::cast_precision_loss, reason = "only 0 and 1 are taken")]
            ScalarKind::Integer(number) => number as f64,
            _ => {
                wrong_type(node, "a share from 0 to 1", "0.5", problems);
                return None;
            }
        };
        if (0.0..=1.0).contains(&share) {
            return Some(Self(share));
        }
        let message = format!("{} is not from 0 to 1", scalar.shown());
        problems
            .push(invalid(node.place, message).hint("a share is a part of 1: 99.9 % is `0.999`"));
        None
    }

    fn schema(_: &mut Schemas) -> Value {
        schema::or_reference(&json!({"type": "number", "minimum": 0, "maximum": 1}))
    }
}
