//! Named statements: the name of a statement is the name of its file in `sql/`.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use dipmo_store::Side;
use tokio_postgres::types::ToSql;

use crate::copy_in::OpenCopy;

/// A statement with a name for metrics, logs and errors.
#[derive(Clone, Debug)]
pub(crate) struct Sql {
    pub(crate) name: &'static str,
    pub(crate) text: Cow<'static, str>,
    /// What it is called when it is of a user's own: its failure is that of the message that ran it.
    pub(crate) of_user: Option<Arc<str>>,
}

/// Which of the two boxes a shared statement works on: `{box}` in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Inbox,
    Outbox,
}

impl Which {
    pub(crate) const fn of(side: Side) -> Self {
        match side {
            Side::Inbox => Self::Inbox,
            Side::Outbox => Self::Outbox,
        }
    }

    pub(crate) const fn side(self) -> Side {
        match self {
            Self::Inbox => Side::Inbox,
            Self::Outbox => Side::Outbox,
        }
    }
}

macro_rules! statements {
    ($($name:ident),+ $(,)?) => {
        $(pub(crate) const fn $name() -> Sql {
            Sql {
                name: stringify!($name),
                text: Cow::Borrowed(include_str!(concat!("../sql/", stringify!($name), ".sql"))),
                of_user: None,
            }
        })+
    };
}

macro_rules! shared_statements {
    ($($name:ident),+ $(,)?) => {
        $(pub(crate) fn $name(which: Which) -> Sql {
            let text = include_str!(concat!("../sql/", stringify!($name), ".sql"));
            Sql::dynamic(stringify!($name), text.replace("{box}", which.side().as_str()))
        })+
    };
}

statements! {
    ageing_inbox, ageing_outbox, hot_keys_inbox, hot_keys_outbox, hot_recent, soundness_change, soundness_delete, soundness_months, soundness_size, slo_add, slo_forget, slo_hours,
    duty_ask, duty_check, duty_end_round, duty_find, duty_give_back, duty_renew, duty_take, lot_answer, lot_archived, lot_begin, lot_find,
    lot_forget, lot_held, lot_intents, lot_intents_carried, lot_intents_fill, lot_intents_first, lot_list, lot_messages,
    lot_messages_carried, lot_messages_fill, lot_messages_first, lot_open, lot_records, lot_records_carried, lot_state, lot_wish,
    lot_wished, restore_intents, restore_messages, restore_records,
    erase_alone, replay_beside, replay_erased, erase_edits, erase_find_answers, erase_find_intents, erase_find_messages, erase_find_records, erase_find_tables, erase_find_timers,
    erase_groups, erase_hold, erase_incidents, erase_intents, erase_messages, erase_note, erase_timers, erase_wait_intents,
    erase_wait_messages, erased_answers, erased_intents, erased_messages, erased_records,
    again_check, aggregate_rows, aggregate_types, audit_insert, audit_list, backlog_inbox, backlog_jobs, backlog_outbox, backlog_timers, begin, begin_read, block_any, block_bar, browse_settings, chunk_settle, commit, control_clear, control_find, control_rows, control_set, copy_end_stuck, dedupe_forget, due_destinations, edit_find, edit_keep, edit_write, failed_any, failure_fold, failure_forget, failure_group_put, failure_groups, failure_lock, fleet_forget, fleet_report, fleet_rows, fleet_sign_off, held_adopt, horizon_get,
    horizon_put, inbox_dedupe, inbox_copy, inbox_duplicates, inbox_incident, inbox_insert,
    inbox_ready_insert, inbox_release, inbox_take, inbox_take_due, intent_failures, intent_find, intent_lines, intent_named, intent_units, intents_caused, intents_few, intents_of_aggregate,
    job_begin, job_change, job_check, job_empty, job_find, job_free, job_idle, job_page, job_put_back, job_read, job_read_due,
    job_release, job_rows, job_stay, job_take,
    lane_add, lane_lock, lane_lock_ended, lane_rows, lane_wait, lane_wait_ended, lease_check, lease_give_back, lease_renew, lease_take,
    list_begin, list_end, list_found, list_logged, listener, log_rows, notify, offset_begin, offset_list, offset_move, operate_release, operation_begin, operation_change, operation_check, operation_fill, operation_fill_nobody, operation_filled, operation_find, operation_forget, operation_give_back, operation_ids, operation_items, operation_items_of, operation_list, operation_lock, operation_messages, operation_met, operation_next, operation_open, operation_preview, operation_renew, operation_results, operation_settings, operation_take, operation_units, outbox_caused, outbox_ids, outbox_insert, outbox_read, outbox_read_due,
    outbox_ready_insert, outbox_release, passed_over, progress_add, progress_insert, record_insert, record_intent, record_lines, resend_insert, resend_records, rollback,
    message_few, message_lanes, message_later, message_lines, message_overtake, message_places, message_standing, message_whereabouts, reparse_dedupe, reparse_lanes, reparse_log, reparse_place, progress_operate, state_end, state_list, timer_cancel, timer_drop, timer_list, timer_set, timer_take, token_find, token_insert, token_revoke, token_rows, unit_adopt, unit_lanes, unit_list, unit_overtake, unit_places, unit_standing, unit_lane_lock_ended, unit_lane_wait_ended, wake, inbox_rows, outbox_rows,
    record_rows, incident_rows, clock,
}

shared_statements! { aside_rows, block_end, block_find, block_lift, block_set, done_insert, erase_exceptions, exception_put, failure_name, failure_unnamed, group_rows, listen, open_end, open_rows, operate_retry,
operate_skip }

/// The statements that a message needs on its way in, through and out, when nothing is wrong with
/// it; but for those of its process.
pub(crate) fn common() -> Vec<Sql> {
    use Which::{Inbox, Outbox};
    let ends = vec![begin(), begin_read(), commit(), rollback()];
    let comes = vec![inbox_dedupe(), inbox_copy(), inbox_ready_insert(), offset_move()];
    let is_taken = vec![lane_lock(), inbox_take(), inbox_take_due(), failed_any()];
    let is_processed = vec![
        block_find(Inbox),
        outbox_ids(),
        outbox_insert(),
        outbox_ready_insert(),
        done_insert(Inbox),
    ];
    let is_read = vec![
        due_destinations(),
        lease_take(),
        outbox_read(),
        outbox_read_due(),
        block_any(),
        intent_find(),
    ];
    let is_settled = vec![
        lease_check(),
        chunk_settle(),
        done_insert(Outbox),
        unit_overtake(),
        block_lift(Outbox),
        lease_give_back(),
    ];
    [ends, comes, is_taken, is_processed, is_read, is_settled].concat()
}

/// A parameter of a call.
pub(crate) type Param = Box<dyn ToSql + Sync + Send>;

/// A statement with what it is given, ready to be sent.
pub(crate) struct Call {
    pub(crate) sql: Sql,
    pub(crate) input: Input,
}

/// What a statement is given.
pub(crate) enum Input {
    Params(Vec<Param>),
    /// The rows of a COPY that was opened before; until they are taken to be sent.
    Rest(Option<(OpenCopy, Bytes)>),
}

impl Call {
    /// Whether this is a COPY.
    pub(crate) const fn copies(&self) -> bool {
        !matches!(self.input, Input::Params(_))
    }

    /// Takes the rows for a COPY that was opened before.
    pub(crate) const fn take_open(&mut self) -> Option<(OpenCopy, Bytes)> {
        match &mut self.input {
            Input::Rest(open) => open.take(),
            Input::Params(_) => None,
        }
    }
}

impl Sql {
    /// A statement whose text depends on the tables of a deployment.
    pub(crate) const fn dynamic(name: &'static str, text: String) -> Self {
        Self { name, text: Cow::Owned(text), of_user: None }
    }

    /// A statement that a user wrote.
    pub(crate) fn of_user(name: &'static str, text: String, title: &str) -> Self {
        Self { of_user: Some(title.into()), ..Self::dynamic(name, text) }
    }

    /// With a text for a name in braces.
    pub(crate) fn fill(mut self, place: &str, text: &str) -> Self {
        self.text = Cow::Owned(self.text.replace(place, text));
        self
    }

    /// Without parameters.
    pub(crate) const fn call(self) -> Call {
        self.with(Vec::new())
    }

    /// With parameters.
    pub(crate) const fn with(self, params: Vec<Param>) -> Call {
        Call { sql: self, input: Input::Params(params) }
    }

    /// The rows of a COPY that was opened before; the first to be sent.
    pub(crate) const fn go_on(self, open: OpenCopy, rows: Bytes) -> Call {
        Call { sql: self, input: Input::Rest(Some((open, rows))) }
    }
}

/// Boxes parameters: `params![ids, lanes]`.
macro_rules! params {
    ($($value:expr),* $(,)?) => { vec![$(Box::new($value) as $crate::sql::Param),*] };
}
pub(crate) use params;
