//! Rows into a table, by binary COPY.

use std::pin::Pin;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};
use bytes::{BufMut as _, BytesMut};
use dipmo_domain::Timestamp;
use tokio_postgres::Client;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// A COPY that has begun; all of it is one transaction.
pub(super) struct Copy {
    writer: Pin<Box<BinaryCopyInWriter>>,
    into: &'static str,
}

impl Copy {
    /// Into these columns of a table, written as `table (column, column)`.
    pub(super) async fn into(client: &Client, into: &'static str) -> Result<Self> {
        let (table, columns) = into.split_once(' ').context("no columns")?;
        let columns = columns.trim_matches(['(', ')']);
        let shape = client.prepare(&format!("select {columns} from {table}")).await?;
        let types: Vec<Type> =
            shape.columns().iter().map(|column| column.type_().clone()).collect();
        let sink = client.copy_in(&format!("copy {into} from stdin binary")).await?;
        Ok(Self { writer: Box::pin(BinaryCopyInWriter::new(sink, &types)), into })
    }

    pub(super) async fn row(&mut self, values: &[&(dyn ToSql + Sync)]) -> Result<()> {
        let written = self.writer.as_mut().write(values).await;
        written.with_context(|| format!("a row of {}", self.into))
    }

    /// Commits.
    pub(super) async fn end(mut self) -> Result<()> {
        let ended = self.writer.as_mut().finish().await;
        ended.map(|_| ()).with_context(|| format!("rows of {}", self.into))
    }
}

/// A time as the driver takes it.
pub(super) fn time(time: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_micros(time.as_micros().unsigned_abs())
}

/// A `json` or a `uuid`, by the bytes that it has on the wire.
#[derive(Debug)]
pub(super) struct Wire<'a>(pub(super) &'a [u8]);

impl ToSql for Wire<'_> {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        out.put_slice(self.0);
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        [Type::JSON, Type::UUID].contains(ty)
    }

    to_sql_checked!();
}
