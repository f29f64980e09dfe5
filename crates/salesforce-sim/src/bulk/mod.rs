//! Bulk, pure parts.
mod format;
#[cfg(test)]
mod fuzz;
mod multipart;
mod rows;
mod scan;
mod spool;
mod state;
mod tokenizer;
