//! The commands that work with a configuration, a file each.

pub(crate) mod check;
mod files;
pub(crate) mod init;
pub(crate) mod migrate;
pub(crate) mod run;
pub(crate) mod test;
