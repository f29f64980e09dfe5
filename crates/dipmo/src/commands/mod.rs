//! The commands that work with a configuration, and those that tell of the program, a file each.

pub(crate) mod check;
pub(crate) mod completions;
mod files;
pub(crate) mod init;
pub(crate) mod migrate;
pub(crate) mod operate;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod test;
pub(crate) mod version;
