//! Our values on PostgreSQL's wire.

use std::error::Error;

use bytes::{BufMut as _, BytesMut};
use dipmo_domain::{Json, Timestamp};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

type Fail = Box<dyn Error + Sync + Send>;

/// PostgreSQL counts microseconds from 2000-01-01.
const Y2000_MICROS: i64 = 946_684_800_000_000;

/// A time as PostgreSQL counts it.
pub(crate) const fn micros_from_2000(time: Timestamp) -> i64 {
    time.as_micros() - Y2000_MICROS
}

/// A `timestamptz`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PgTime(pub(crate) Timestamp);

impl ToSql for PgTime {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Fail> {
        out.put_i64(micros_from_2000(self.0));
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::TIMESTAMPTZ
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for PgTime {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Fail> {
        let micros = i64::from_be_bytes(raw.try_into()?).checked_add(Y2000_MICROS);
        let time = micros.and_then(Timestamp::from_micros);
        time.map(Self).ok_or_else(|| "a time outside the years 1 to 9999".into())
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::TIMESTAMPTZ
    }
}

/// A `json`: the text, to the letter.
#[derive(Clone, Debug)]
pub(crate) struct PgJson(pub(crate) Json);

impl ToSql for PgJson {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Fail> {
        out.put_slice(self.0.as_str().as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::JSON
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for PgJson {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Fail> {
        let text = match raw {
            [1, text @ ..] if *ty == Type::JSONB => text,
            _ if *ty == Type::JSONB => return Err("a jsonb of another version".into()),
            text => text,
        };
        Ok(Self(Json::from_store_str(str::from_utf8(text)?)))
    }

    /// Queries of users may answer either.
    fn accepts(ty: &Type) -> bool {
        *ty == Type::JSON || *ty == Type::JSONB
    }
}

/// 128 bits as a `uuid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PgUuid(pub(crate) [u8; 16]);

impl ToSql for PgUuid {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Fail> {
        out.put_slice(&self.0);
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::UUID
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for PgUuid {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Fail> {
        Ok(Self(raw.try_into()?))
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::UUID
    }
}
