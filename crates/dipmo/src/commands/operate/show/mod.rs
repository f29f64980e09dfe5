//! How things are shown to people: tables, times, values of others.

pub(crate) mod field;
pub(crate) mod safe;
pub(crate) mod table;
pub(crate) mod when;
