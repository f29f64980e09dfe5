//! Named statements: the name of a statement is the name of its file in `sql/`.

use std::borrow::Cow;
use std::sync::OnceLock;

/// A statement with a name for metrics, logs and errors.
#[derive(Clone, Debug)]
pub(crate) struct Sql {
    pub(crate) name: &'static str,
    pub(crate) text: Cow<'static, str>,
}

impl Sql {
    /// A statement whose text depends on the tables of a deployment.
    pub(crate) const fn dynamic(name: &'static str, text: String) -> Self {
        Self { name, text: Cow::Owned(text) }
    }
}

/// Which of the two boxes a shared statement works on: `{box}` in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Inbox,
    Outbox,
}

impl Which {
    const fn name(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Outbox => "outbox",
        }
    }
}

macro_rules! statements {
    ($($name:ident),+ $(,)?) => {
        $(pub(crate) const fn $name() -> Sql {
            Sql {
                name: stringify!($name),
                text: Cow::Borrowed(include_str!(concat!("../sql/", stringify!($name), ".sql"))),
            }
        })+

        /// All statements that are the same text every time.
        #[cfg(test)]
        const PLAIN: &[Sql] = &[$($name()),+];
    };
}

macro_rules! shared_statements {
    ($($name:ident),+ $(,)?) => {
        $(pub(crate) fn $name(which: Which) -> Sql {
            static TEXTS: [OnceLock<String>; 2] = [OnceLock::new(), OnceLock::new()];
            let text = TEXTS[which as usize].get_or_init(|| {
                include_str!(concat!("../sql/", stringify!($name), ".sql"))
                    .replace("{box}", which.name())
            });
            Sql { name: stringify!($name), text: Cow::Borrowed(text) }
        })+

        /// All statements that both boxes share, for both.
        #[cfg(test)]
        fn shared() -> Vec<Sql> {
            [Which::Inbox, Which::Outbox].into_iter().flat_map(|which| [$($name(which)),+]).collect()
        }
    };
}

macro_rules! process_statements {
    ($($name:ident),+ $(,)?) => {
        $(pub(crate) fn $name(quoted_table: &str) -> Sql {
            let text = include_str!(concat!("../sql/", stringify!($name), ".sql"));
            Sql::dynamic(stringify!($name), text.replace("{table}", quoted_table))
        })+

        /// All statements of process tables, for one of them.
        #[cfg(test)]
        fn of_process(table: &str) -> Vec<Sql> {
            vec![$($name(table)),+]
        }
    };
}

statements! {
    again_find, block_bar, block_next, backlog_inbox, backlog_jobs, backlog_outbox, backlog_timers, clock, dedupe_forget, definition_list, definition_put, definition_unsettle, due_destinations, history_intents, history_messages,
    history_records, horizon_get, horizon_put, inbox_dedupe, inbox_duplicates, inbox_incident,
    inbox_insert, inbox_rows, inbox_take, inbox_take_due, incident_rows, index_find, intent_failures,
    intent_find, job_any, job_begin, job_change, job_check, job_drop, job_empty, job_find, job_free, job_hold,
    job_idle, job_lease, job_mark_chunk, job_mark_due, job_put_back, job_read, job_read_due, job_release, job_release_due,
    job_release_list, job_rows, job_stay, job_take, lane_add, lane_lock, lease_check, lease_give_back, lease_renew, lease_take,
    message_find, message_later, message_overtake, message_reparse, message_standing, migration_insert, migration_list, migration_table, offset_begin, offset_list, offset_move, operate_release,
    outbox_insert, exception_reparse, outbox_read, outbox_read_due, outbox_rows, passed_over, process_tables, progress_add, progress_drop,
    progress_insert, progress_operate, record_drop, record_insert, record_rows, sequence_take, table_columns,
    table_indexes, table_sql, timer_cancel, timer_set, timer_take, unit_block_next, unit_overtake, unit_standing, wake,
}

shared_statements! {
    block_end, block_find, block_head, block_lift, block_move, block_set, chunk_list, chunk_settle,
    done_drop, done_insert, due_count, exception_drop, exception_put, failed_any, log_drop, operate_retry,
    operate_skip, ready_insert, release_drop,
    release_ready, release_revive, release_take,
}

process_statements! { process_rows, state_find, state_ids, state_insert, state_move, state_strays, state_update }

#[cfg(test)]
mod tests;
