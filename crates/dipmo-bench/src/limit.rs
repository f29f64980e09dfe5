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

use crate::database::Database;
use crate::load::Load;

/// Rows of one transaction.
const ROWS: usize = 2_000;

/// How long the copy takes.
pub(crate) async fn copy(database: &Database, load: &Load) -> Result<Duration> {
    let client = database.client();
    client.batch_execute("create table bench_unit (id bigint, payload jsonb)").await?;
    let statement = client.prepare("copy bench_unit from stdin binary").await?;
    let rows: Vec<(i64, Jsonb<'_>)> = (0..).zip(load.payloads().map(Jsonb)).collect();
    database.checkpoint().await?;

    let begun = Instant::now();
    for chunk in rows.chunks(ROWS) {
        let sink = client.copy_in(&statement).await?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &[Type::INT8, Type::JSONB]));
        for (id, payload) in chunk {
            writer.as_mut().write(&[id, payload]).await?;
        }
        writer.finish().await?;
    }
    let taken = begun.elapsed();
    client.batch_execute("drop table bench_unit").await?;
    Ok(taken)
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
