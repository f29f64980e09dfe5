//! L: the most that the database can take, to measure everything else by.
//!
//! Binary COPY of the same payloads into a table without indexes, on one connection. The column is
//! `jsonb`: parsing it, not the disk, is what limits it.

use std::pin::pin;
use std::time::{Duration, Instant};

use anyhow::Result;
use bytes::{BufMut as _, BytesMut};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Statement};

use crate::database::Database;
use crate::load::Load;

/// Rows of one transaction.
const ROWS: usize = 2_000;

/// How long it takes to copy all payloads.
pub(crate) async fn copy(database: &Database, load: &Load) -> Result<Duration> {
    let payloads: Vec<&str> = load.payloads().collect();
    let table = BareTable::create(database).await?;
    database.checkpoint().await?;
    let begun = Instant::now();
    for chunk in payloads.chunks(ROWS) {
        table.copy(chunk).await?;
    }
    let taken = begun.elapsed();
    table.remove().await?;
    Ok(taken)
}

/// The table that L is copied into.
pub(crate) struct BareTable<'a> {
    client: &'a Client,
    statement: Statement,
}

impl<'a> BareTable<'a> {
    pub(crate) async fn create(database: &'a Database) -> Result<Self> {
        let client = database.client();
        client.batch_execute("create table bench_unit (id bigint, payload jsonb)").await?;
        let statement = client.prepare("copy bench_unit from stdin binary").await?;
        Ok(Self { client, statement })
    }

    /// One transaction.
    pub(crate) async fn copy(&self, payloads: &[&str]) -> Result<()> {
        let sink = self.client.copy_in(&self.statement).await?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &[Type::INT8, Type::JSONB]));
        for (id, payload) in (0_i64..).zip(payloads) {
            writer.as_mut().write(&[&id, &Jsonb(payload)]).await?;
        }
        writer.finish().await?;
        Ok(())
    }

    pub(crate) async fn remove(self) -> Result<()> {
        Ok(self.client.batch_execute("drop table bench_unit").await?)
    }
}

/// A text as `jsonb`.
#[derive(Debug)]
struct Jsonb<'a>(&'a str);

impl ToSql for Jsonb<'_> {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        // The version of the format, which has always been 1.
        out.put_u8(1);
        out.put_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::JSONB
    }

    to_sql_checked!();
}
