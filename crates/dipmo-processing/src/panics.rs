//! What a panic of somebody else's code says.

use std::any::Any;

use dipmo_domain::{Code, Failure};

/// A panic as the failure of what was being done.
pub(crate) fn failure(code: Code, panic: &(dyn Any + Send)) -> Failure {
    let said = panic.downcast_ref::<&str>().copied();
    let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let said = said.unwrap_or("it did not say why");
    Failure::coded(code, &format!("it panicked: {said}"))
}
