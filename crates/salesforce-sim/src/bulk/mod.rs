//! Bulk API 2.0, ingest: jobs that take a CSV file and write its rows.
//!
//! A job is made ([`spec`]), takes one upload ([`upload`], which goes to a [`spool`] on the one [`disk`]
//! while a [`scan`] looks at it), is closed, runs ([`run`], by [`chunk`]s) and gives three files of [`results`].
//! [`state`] says what is allowed when. CSV is read by [`tokenizer`] only, and written by [`format`].
//!
//! **Invariant:** memory does not grow with an upload; of each row there remains an outcome.

mod calls;
mod chunk;
mod disk;
mod format;
#[cfg(test)]
mod fuzz;
mod info;
mod job;
mod jobs;
mod multipart;
mod outcome;
mod pieces;
mod results;
mod rows;
mod run;
mod scan;
mod spec;
mod spool;
mod state;
mod task;
mod tokenizer;
mod upload;

pub(crate) use self::calls::answer;
pub(crate) use self::jobs::Jobs;
pub(crate) use self::spec::is_operation;
