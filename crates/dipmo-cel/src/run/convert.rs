//! One type made of another.

use std::str::FromStr;

use crate::flaw::Trouble;
use crate::fuel::Fuel;
use crate::function::Function;
use crate::value::Value;
use crate::value::time::{self, ShownDuration, ShownTimestamp};

pub(super) fn convert(
    function: Function,
    value: &Value,
    fuel: &mut Fuel,
) -> Result<Value, Trouble> {
    if let Value::String(text) = value {
        fuel.bytes(text.len())?;
    }
    match function {
        Function::ToString => string(value, fuel),
        Function::ToInt => int(value).map(Value::Int),
        Function::ToUint => uint(value).map(Value::Uint),
        Function::ToDouble => double(value).map(Value::Double),
        Function::ToBool => bool(value).map(Value::Bool),
        Function::ToBytes => bytes(value, fuel),
        Function::ToTimestamp => timestamp(value).map(Value::Timestamp),
        Function::ToDuration => duration(value).map(Value::Duration),
        _ => Err(Trouble::Types),
    }
}

fn string(value: &Value, fuel: &mut Fuel) -> Result<Value, Trouble> {
    Ok(Value::from(match value {
        Value::String(_) => return Ok(value.clone()),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Double(number) => number.to_string(),
        Value::Timestamp(micros) => ShownTimestamp(*micros).to_string(),
        Value::Duration(micros) => ShownDuration(*micros).to_string(),
        Value::Bytes(bytes) => {
            fuel.bytes(bytes.len())?;
            let text =
                str::from_utf8(bytes).map_err(|_| Trouble::said("these bytes are no UTF-8"))?;
            text.to_owned()
        }
        Value::Null | Value::List(_) | Value::Map(_) => return Err(Trouble::Types),
    }))
}

fn parse<T: FromStr>(text: &str, what: &str) -> Result<T, Trouble> {
    text.parse().map_err(|_| Trouble::said(format!("this text is no {what}")))
}

fn no_room(what: &str) -> Trouble {
    Trouble::said(format!("this number does not fit into {what}"))
}

fn int(value: &Value) -> Result<i64, Trouble> {
    match value {
        Value::Int(number) => Ok(*number),
        Value::Uint(number) => i64::try_from(*number).map_err(|_| no_room("an int")),
        // Both bounds are doubles; the upper one is the first that does not fit.
        Value::Double(number)
            if *number > -9_223_372_036_854_775_809.0 && *number < 9_223_372_036_854_775_808.0 =>
        {
            Ok(*number as i64)
        }
        Value::Double(_) => Err(no_room("an int")),
        Value::String(text) => parse(text, "int"),
        Value::Timestamp(micros) => Ok(micros.div_euclid(1_000_000)),
        _ => Err(Trouble::Types),
    }
}

fn uint(value: &Value) -> Result<u64, Trouble> {
    match value {
        Value::Uint(number) => Ok(*number),
        Value::Int(number) => u64::try_from(*number).map_err(|_| no_room("a uint")),
        Value::Double(number) if *number >= 0.0 && *number < 18_446_744_073_709_551_616.0 => {
            Ok(*number as u64)
        }
        Value::Double(_) => Err(no_room("a uint")),
        Value::String(text) => parse(text, "uint"),
        _ => Err(Trouble::Types),
    }
}

fn double(value: &Value) -> Result<f64, Trouble> {
    match value {
        Value::Double(number) => Ok(*number),
        Value::Int(number) => Ok(*number as f64),
        Value::Uint(number) => Ok(*number as f64),
        Value::String(text) => parse(text, "double"),
        _ => Err(Trouble::Types),
    }
}

fn bool(value: &Value) -> Result<bool, Trouble> {
    match value {
        Value::Bool(truth) => Ok(*truth),
        Value::String(text) => match &**text {
            "true" | "True" | "TRUE" | "t" | "1" => Ok(true),
            "false" | "False" | "FALSE" | "f" | "0" => Ok(false),
            _ => Err(Trouble::said("this text is no bool")),
        },
        _ => Err(Trouble::Types),
    }
}

fn bytes(value: &Value, fuel: &mut Fuel) -> Result<Value, Trouble> {
    match value {
        Value::Bytes(_) => Ok(value.clone()),
        Value::String(text) => {
            fuel.bytes(text.len())?;
            Ok(Value::Bytes(text.as_bytes().into()))
        }
        _ => Err(Trouble::Types),
    }
}

/// A number is seconds since 1970.
fn timestamp(value: &Value) -> Result<i64, Trouble> {
    match value {
        Value::Timestamp(micros) => Ok(*micros),
        Value::String(text) => time::parse_timestamp(text)
            .ok_or_else(|| Trouble::said("this text is no time such as 2024-05-01T12:00:00Z")),
        Value::Int(seconds) => {
            let micros = seconds.checked_mul(1_000_000).and_then(time::timestamp);
            micros.ok_or_else(|| Trouble::said("this time is not within the years 1 to 9999"))
        }
        _ => Err(Trouble::Types),
    }
}

fn duration(value: &Value) -> Result<i64, Trouble> {
    match value {
        Value::Duration(micros) => Ok(*micros),
        Value::String(text) => time::parse_duration(text)
            .ok_or_else(|| Trouble::said("this text is no duration such as 30s, 5m or 1h30m")),
        _ => Err(Trouble::Types),
    }
}
