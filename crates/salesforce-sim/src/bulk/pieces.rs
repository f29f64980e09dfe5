//! A file of results, read from the upload again piece by piece as the client takes it.
//!
//! Rows and columns come in another order than they went in: Salesforce promises none.

use std::io;
use std::mem;
use std::sync::Arc;

use bytes::Bytes;

use super::job::{Job, Upload};
use super::outcome::{Outcome, Outcomes};
use super::results::File;
use super::scan::{Contents, ROWS_IN_A_CHUNK};
use crate::org::Org;
use crate::org::id::IdText;
use crate::server::world::World;

/// A piece is complete when it has so many bytes.
const ENOUGH: usize = 16 * 1024;

/// Writes a file piece by piece.
pub(super) struct Pieces {
    world: Arc<World>,
    job: Arc<Job>,
    upload: Arc<Upload>,
    file: File,
    /// Where each column of the file stands among its own columns and then those of the upload.
    columns: Vec<usize>,
    header_is_due: bool,
    /// The chunks that are still to be read, the next one last.
    chunks: Vec<usize>,
    rng: fastrand::Rng,
}

impl Pieces {
    pub(super) fn new(
        world: &Arc<World>,
        job: &Arc<Job>,
        upload: Arc<Upload>,
        file: File,
    ) -> Pieces {
        let mut rng = world.clock.rng("bulk.results", job.number);
        let (given, rows) = upload
            .contents
            .as_ref()
            .map_or((0, 0), |contents| (contents.header.len(), contents.rows));
        let mut columns: Vec<usize> = (0..file.own_columns().len() + given).collect();
        let mut chunks: Vec<usize> = (0..rows.div_ceil(ROWS_IN_A_CHUNK)).collect();
        rng.shuffle(&mut columns);
        rng.shuffle(&mut chunks);
        Pieces {
            world: Arc::clone(world),
            job: Arc::clone(job),
            upload,
            file,
            columns,
            header_is_due: true,
            chunks,
            rng,
        }
    }
}

impl Iterator for Pieces {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut out = Vec::new();
        let upload = Arc::clone(&self.upload);
        let contents = upload.contents.as_ref().ok()?;
        if mem::take(&mut self.header_is_due) {
            let given: Vec<&str> = contents.header.iter().map(String::as_str).collect();
            self.write(self.file.own_columns(), &given, &mut out);
        }
        while out.len() < ENOUGH {
            let Some(chunk) = self.chunks.pop() else { break };
            if let Err(error) = self.write_chunk(contents, chunk, &mut out) {
                self.chunks.clear();
                return Some(Err(error));
            }
        }
        (!out.is_empty()).then(|| Ok(Bytes::from(out)))
    }
}

impl Pieces {
    fn write_chunk(
        &mut self,
        contents: &Contents,
        chunk: usize,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let first = chunk * ROWS_IN_A_CHUNK;
        let job = Arc::clone(&self.job);
        let progress = job.progress();
        let mut wanted: Vec<usize> = (0..ROWS_IN_A_CHUNK.min(contents.rows - first))
            .filter(|row| self.file.has(progress.outcomes.of(first + row)))
            .collect();
        if wanted.is_empty() {
            return Ok(());
        }
        self.rng.shuffle(&mut wanted);
        let rows = self.upload.rows(contents, chunk, job.spec.format)?;
        let org = self.world.org();
        let mut cells = Vec::new();
        for row in wanted {
            cells.clear();
            cells.extend(rows.row(row));
            self.write_row(&org, &progress.outcomes, first + row, &cells, out);
        }
        Ok(())
    }

    fn write_row(
        &self,
        org: &Org,
        outcomes: &Outcomes,
        row: usize,
        cells: &[&str],
        out: &mut Vec<u8>,
    ) {
        match outcomes.of(row) {
            Outcome::Unprocessed => self.write(&[], cells, out),
            Outcome::Created(record) => {
                self.write(&[org.id_text(record).as_str(), "true"], cells, out);
            }
            Outcome::Changed(record) => {
                self.write(&[org.id_text(record).as_str(), "false"], cells, out);
            }
            Outcome::Failed(place) => {
                let Some(failure) = outcomes.failure(place) else { return };
                let id = failure.record.map(|record| org.id_text(record));
                let id = id.as_ref().map_or("", IdText::as_str);
                self.write(&[id, &failure.error], cells, out);
            }
        }
    }

    /// Writes one row, with its columns where this file has them.
    fn write(&self, own: &[&str], given: &[&str], out: &mut Vec<u8>) {
        let cells: Vec<&str> = own.iter().chain(given).copied().collect();
        let in_place = self.columns.iter().filter_map(|&column| cells.get(column).copied());
        self.job.spec.format.write_row(in_place, out);
    }
}
