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
    pub(crate) const fn name(self) -> &'static str {
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

macro_rules! filtered_statements {
    ($($name:ident),+ $(,)?) => {
        $(pub(crate) fn $name(wanted: &str) -> Sql {
            let text = include_str!(concat!("../sql/", stringify!($name), ".sql"));
            Sql::dynamic(stringify!($name), text.replace("{wanted}", wanted))
        })+

        /// All statements that find what a filter wants, for one that wants something.
        #[cfg(test)]
        fn filtered(wanted: &str) -> Vec<Sql> {
            vec![$($name(wanted)),+]
        }
    };
}

statements! {
    ageing_aside_inbox, ageing_aside_outbox, ageing_inbox, ageing_lanes, ageing_outbox, hot_keys_inbox, hot_keys_outbox, hot_recent, soundness,
    slo_add, slo_forget, slo_hours,
    duty_ask, duty_check, duty_end_round, duty_find, duty_give_back, duty_renew, duty_take, lot_answer, lot_archived, lot_begin, lot_find,
    lot_held, lot_intents, lot_intents_fill, lot_intents_first, lot_list, lot_messages, lot_messages_fill, lot_messages_first, lot_open,
    lot_records, lot_row_drop, lot_row_list, lot_size, lot_state, lot_wish, lot_wished, restore_intent, restore_message, restore_progress,
    restore_record,
    erase_edits, erase_edits_left, erase_find_answers, erase_find_intents, erase_find_messages, erase_find_records, erase_find_timers,
    erase_groups, erase_groups_left, erase_incidents, erase_incidents_left, erase_intents, erase_intents_left, erase_messages,
    erase_messages_left, erase_note, erase_timers, erase_timers_left, erase_wait_intents, erase_wait_messages, erased_answers, erased_intents,
    erased_messages, erased_records,
    failure_forget, failure_groups, failure_see,
    operation_change, operation_count, operation_find, operation_give_back, operation_insert,
    operation_item_end, operation_item_find, operation_item_forget, operation_item_insert,
    operation_item_list, operation_item_next, operation_item_results, operation_list,
    operation_renew, operation_take,
    control_clear, control_find, control_rows, control_set,
    audit_ids, audit_insert, audit_lines, audit_time, fleet_forget, fleet_report, fleet_rows, fleet_sign_off, token_find, token_insert,
    token_revoke, token_rows, intent_ids_by_aggregate, intent_ids_by_cause, intent_since, intent_types, intents_caused, lane_rows,
    message_ids_by_aggregate, message_ready_from, message_since, message_time, ready_jobs, record_ids, record_ids_of,
    record_intent, unit_ready_from, unit_time,
    again_find, block_bar, block_next, backlog_inbox, backlog_jobs, backlog_outbox, backlog_timers, clock, dedupe_forget, definition_list, definition_put, definition_unsettle, due_destinations, edit_drop, edit_find, edit_keep, edit_write, history_intents, history_messages,
    history_records, horizon_get, horizon_put, inbox_dedupe, inbox_duplicates, inbox_incident,
    inbox_insert, inbox_rows, inbox_take, inbox_take_due, incident_rows, index_find, intent_failures,
    intent_find, job_any, job_begin, job_change, job_check, job_drop, job_empty, job_find, job_free, job_hold,
    job_idle, job_lease, job_mark_chunk, job_mark_due, job_put_back, job_read, job_read_due, job_release, job_release_due,
    job_release_list, job_rows, job_stay, job_take, lane_add, lane_lock, lease_check, lease_give_back, lease_renew, lease_take,
    message_find, message_later, message_overtake, message_reparse, message_standing, message_whereabouts, migration_insert, migration_list, migration_table, offset_begin, offset_list, offset_move, operate_release,
    outbox_insert, exception_reparse, outbox_read, outbox_read_due, outbox_rows, passed_over, process_tables, progress_add, progress_drop,
    progress_insert, progress_operate, record_drop, record_insert, record_rows, resend_find, resend_insert, sequence_take, table_columns,
    table_indexes, table_sql, timer_cancel, timer_drop, timer_list, timer_set, timer_take, unit_block_next, unit_overtake, unit_standing, wake,
}

shared_statements! {
    aside_ids, aside_ids_by_failure, aside_ids_by_status, log_ids,
    block_end, block_find, block_head, block_lift, block_move, block_set, chunk_list, chunk_settle,
    done_drop, done_insert, due_count, erase_exceptions, erase_exceptions_left, exception_drop, exception_put, failed_any, log_drop, operate_retry,
    operate_skip, ready_insert, release_drop,
    release_ready, release_revive, release_take, restore_done, restore_exception,
}

filtered_statements! { message_lines, operation_messages, operation_units, unit_lines }

process_statements! { process_rows, state_find, state_ids, state_insert, state_list, state_move, state_strays, state_update }

#[cfg(test)]
mod tests;
