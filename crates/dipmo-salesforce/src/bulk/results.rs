//! The three files of results, read row by row.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Response;
use tokio::time::{Instant, timeout};

use super::csv_reader::{CsvReader, Record};
use crate::class::Class;
use crate::code::codes;
use crate::error::Error;
use crate::http::transport::lost;
use crate::row_error::RowError;

/// One of the three files of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BulkResults {
    /// The rows that were applied: `sf__Id`, `sf__Created` and the columns of the upload.
    Successful,
    /// The rows that were refused: `sf__Id`, `sf__Error` and the columns of the upload.
    Failed,
    /// The rows that nobody looked at: the columns of the upload.
    Unprocessed,
}

impl BulkResults {
    pub(super) const fn path(self) -> &'static str {
        match self {
            Self::Successful => "/successfulResults",
            Self::Failed => "/failedResults",
            Self::Unprocessed => "/unprocessedrecords",
        }
    }
}

/// The rows of a file, of which only those are in memory that the connection has brought last.
///
/// Their order is any, and so is that of their columns.
pub struct ResultRows {
    response: Response,
    reader: CsvReader,
    header: Option<Arc<[String]>>,
    place: String,
    /// What is left of the time in which Salesforce may be waited for.
    left: Duration,
}

/// A row of a file of results.
#[derive(Clone)]
pub struct ResultRow {
    header: Arc<[String]>,
    record: Record,
}

impl ResultRows {
    pub(super) fn new(response: Response, place: String, left: Duration) -> Self {
        Self { response, reader: CsvReader::default(), header: None, place, left }
    }

    /// The next row; `None` at the end of the file.
    ///
    /// # Errors
    ///
    /// The connection ended, or the file is cut: read it again from its beginning.
    pub async fn next(&mut self) -> Result<Option<ResultRow>, Error> {
        self.read().await.map_err(|error| error.at(&self.place))
    }

    async fn read(&mut self) -> Result<Option<ResultRow>, Error> {
        loop {
            while let Some(record) = self.reader.next_record()? {
                let Some(header) = &self.header else {
                    self.header = Some(record.cells().map(str::to_owned).collect());
                    continue;
                };
                if record.len() != header.len() {
                    let message =
                        format!("a row has {} cells for {} columns", record.len(), header.len());
                    return Err(Error::unreadable(message));
                }
                return Ok(Some(ResultRow { header: Arc::clone(header), record }));
            }
            if self.reader.is_at_end() {
                return Ok(None);
            }
            match self.chunk().await? {
                Some(chunk) => self.reader.push(chunk),
                None => self.reader.finish(),
            }
        }
    }

    /// What the connection brings next. Only the time that this takes counts: whoever reads the rows
    /// may take as long as it likes.
    async fn chunk(&mut self) -> Result<Option<bytes::Bytes>, Error> {
        let began = Instant::now();
        let chunk = timeout(self.left, self.response.chunk()).await;
        self.left = self.left.saturating_sub(began.elapsed());
        match chunk {
            Ok(chunk) => chunk.map_err(|error| lost(&error)),
            Err(_) => {
                let message = "the rest of the file did not come in time";
                Err(Error::new(Class::Transient, codes::TIMEOUT, message))
            }
        }
    }
}

impl ResultRow {
    /// The cell of a column, in any letter case.
    #[must_use]
    pub fn get(&self, column: &str) -> Option<&str> {
        let index = self.header.iter().position(|name| name.eq_ignore_ascii_case(column))?;
        self.record.cell(index)
    }

    /// The id of the record, where there is one.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.get("sf__Id").filter(|id| !id.is_empty())
    }

    /// Whether the record was made.
    #[must_use]
    pub fn created(&self) -> bool {
        self.get("sf__Created").is_some_and(|created| created.eq_ignore_ascii_case("true"))
    }

    /// What the row was refused for, in the file of those that were.
    #[must_use]
    pub fn error(&self) -> Option<RowError> {
        self.get("sf__Error").map(RowError::from_cell)
    }
}

impl fmt::Debug for ResultRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultRows").field("file", &self.place).finish_non_exhaustive()
    }
}

impl fmt::Debug for ResultRow {
    /// Without the cells, which are the payload.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultRow").field("columns", &self.header).finish_non_exhaustive()
    }
}
