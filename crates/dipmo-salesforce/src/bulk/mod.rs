//! Bulk API 2.0: jobs that take a file of rows and work on it by themselves.

mod calls;
mod csv_reader;
mod csv_writer;
mod job;
mod results;
mod spec;
mod upload;

pub use calls::Bulk;
pub use csv_writer::{Cell, CsvWriter};
pub use job::{BulkJob, BulkState};
pub use results::{BulkResults, ResultRow, ResultRows};
pub use spec::{BulkOperation, BulkSpec};
pub use upload::MAX_UPLOAD_BYTES;
