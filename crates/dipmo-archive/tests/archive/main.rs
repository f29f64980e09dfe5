//! The keeper of history on a database and a directory of its own: what is archived, what is lost, what comes back.

#![expect(clippy::unwrap_used, reason = "all of this is test code: an unwrap is an assertion")]

mod damage;
mod elected;
mod killed;
mod site;
