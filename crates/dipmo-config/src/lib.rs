//! `dipmo.yaml`: reading it, its model and schema, and what is wrong with it.
//!
//! | module | what is there |
//! |---|---|
//! | [`node`] | YAML as a tree in which everything knows its place |
//! | [`problem`] | what is wrong: codes, places, hints; rendered for people and as JSON |
//! | [`read`] | types that read themselves from nodes and describe themselves as JSON Schema |
//! | [`model`] | the sections of the file, a module each |
//! | [`checks`] | what only shows when sections are held beside each other |
//! | [`declared`] | processes that are built from the model and run |
//! | [`cases`] | cases for `dipmo test`, read, run and compared |
//! | [`load`] | files, overlays and references to a [`Config`] |
//! | [`mod@schema`] | the published JSON Schema |
//!
//! Begin with [`Config::load`]. A check that wants to say something pushes a [`Problem`] with the place of
//! what it is about: every leaf is a [`Spanned`], a name or an [`Expr`] that has one, and every section has a
//! field `place`. A flaw inside of CEL or SQL is found in the file with [`node::Passage::locate`].
//!
//! **Invariant:** no text makes it panic, hang or take all memory; what came from a reference is in no print,
//! no message and no snippet.

pub mod cases;
pub mod checks;
pub mod declared;
pub mod load;
pub mod model;
pub mod node;
mod place;
pub mod problem;
pub mod read;
pub mod schema;

pub use checks::Checked;
pub use declared::{Declared, DeclaredProcess};
pub use load::{Environment, Loaded, ProcessEnvironment, References, Rejected};
pub use model::config::Config;
pub use place::{Files, Place, Position, Spanned};
pub use problem::{Colour, Problem, Problems, Severity};
pub use read::{
    AtLeastOne, Expr, Field, Fields, Lower, Map, MapKey, Name, OneOrMany, Read, Secret, SecretUrl,
    Shape, Share, Sql, Template, Upper, UrlPath, ValueExpr, ValueKind, Written, Yes, did_you_mean,
};
pub use schema::schema;
