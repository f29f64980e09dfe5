//! The codes of problems that reading finds. Each has a page in `docs/errors/`.

use dipmo_domain::Code;

/// A file cannot be read from the disk.
pub const FILE_UNREADABLE: Code = Code::new("config-file-unreadable");
/// The text is no YAML, or has what a configuration has no use for.
pub const SYNTAX: Code = Code::new("config-syntax");
/// The file is larger or deeper than any that a person writes.
pub const LIMIT: Code = Code::new("config-limit");
/// A key is there twice.
pub const DUPLICATE_KEY: Code = Code::new("config-duplicate-key");
/// A key that nobody knows.
pub const UNKNOWN_KEY: Code = Code::new("config-unknown-key");
/// A list where a text is expected, and the like.
pub const WRONG_TYPE: Code = Code::new("config-wrong-type");
/// A key that must be there is not.
pub const MISSING_KEY: Code = Code::new("config-missing-key");
/// Keys of which exactly one may be there.
pub const ONE_OF: Code = Code::new("config-one-of");
/// The type is right and the value is not.
pub const VALUE_INVALID: Code = Code::new("config-value-invalid");
/// A secret is written into the file.
pub const SECRET_LITERAL: Code = Code::new("config-secret-literal");
/// What a reference names is not there.
pub const SECRET_MISSING: Code = Code::new("config-secret-missing");
/// A reference where none is possible, or one that cannot be read.
pub const REFERENCE_INVALID: Code = Code::new("config-reference-invalid");
/// An overlay that changes nothing.
pub const OVERLAY_IDLE: Code = Code::new("config-overlay-idle");
/// A name that is not among those that are declared.
pub const UNKNOWN_NAME: Code = Code::new("config-unknown-name");
/// A table that no database would make.
pub const TABLE_INVALID: Code = Code::new("config-table-invalid");
/// SQL that no database would take, or whose parameters do not fit.
pub const SQL_INVALID: Code = Code::new("config-sql-invalid");
/// CEL that does not compile.
pub const EXPRESSION_INVALID: Code = Code::new("config-expression-invalid");
/// A state that no case leads to.
pub const STATE_UNREACHABLE: Code = Code::new("config-state-unreachable");
/// A state that no case leaves, and that is not the end.
pub const STATE_DEAD_END: Code = Code::new("config-state-dead-end");
/// A topic that a process listens to and no source reads.
pub const TOPIC_UNREAD: Code = Code::new("config-topic-unread");
/// A topic that a source reads and no process listens to.
pub const TOPIC_UNHEARD: Code = Code::new("config-topic-unheard");
/// A destination that no process sends to.
pub const DESTINATION_UNUSED: Code = Code::new("config-destination-unused");
/// Something that is declared and never named.
pub const NAME_UNUSED: Code = Code::new("config-name-unused");
/// A version of an event that nothing leads from, or a step that nobody takes.
pub const UPCAST_INVALID: Code = Code::new("config-upcast-invalid");
/// An event without a case.
pub const EVENT_UNUSED: Code = Code::new("config-event-unused");
/// A process that contradicts itself or another.
pub const PROCESS_INVALID: Code = Code::new("config-process-invalid");
