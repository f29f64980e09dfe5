//! The plan of every hot statement, on both versions, with empty and with full tables: by index,
//! never by a scan, whatever the tables held when it was planned.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::database::Database;
use crate::support::server::Server;
use dipmo_store_postgres::PostgresStore;
use dipmo_store_tests::suite_tables;
use tokio_postgres::Client;

/// The hot statements and the indexes that each may use, without the names of partitions.
const PLANS: &[(&str, &[&str])] = &[
    ("again_check", &["outbox_exception_pkey"]),
    ("block_any", &["outbox_block_pkey"]),
    // Not hot, but asked every few seconds: never what has ended, and never a log.
    ("backlog_inbox", &["inbox_ready_pkey", "ix_inbox_status_due"]),
    ("backlog_jobs", &["outbox_job_open"]),
    ("backlog_outbox", &["outbox_exception_open", "outbox_ready_pkey"]),
    ("backlog_timers", &["process_timer_due"]),
    ("block_bar", &[]),
    ("block_end", &["inbox_block_pkey"]),
    ("block_find", &["inbox_block_pkey"]),
    ("block_lift", &["inbox_block_ended", "inbox_block_pkey", "inbox_exception_held"]),
    ("block_set", &[]),
    ("chunk_settle", &["outbox_ready_pkey"]),
    ("done_insert", &[]),
    ("due_destinations", &["outbox_exception_due", "outbox_lane_pkey", "outbox_ready_pkey"]),
    ("exception_put", &[]),
    ("failed_any", &["inbox_exception_failed"]),
    ("failure_group_put", &[]),
    ("held_adopt", &["inbox_block_pkey", "inbox_exception_pkey"]),
    ("inbox_dedupe", &[]),
    ("inbox_duplicates", &["ux_inbox_dedupe"]),
    ("inbox_incident", &[]),
    ("inbox_insert", &[]),
    ("inbox_ready_insert", &[]),
    (
        "inbox_release",
        &[
            "inbox_block_ended",
            "inbox_block_pkey",
            "inbox_exception_held",
            "inbox_exception_pkey",
            "inbox_ready_pkey",
        ],
    ),
    ("inbox_take", &["inbox_exception_due", "inbox_log_pkey", "inbox_ready_pkey", "tid"]),
    ("inbox_take_due", &["inbox_exception_due", "inbox_log_pkey", "inbox_ready_pkey"]),
    ("intent_failures", &["outbox_exception_pkey", "outbox_record_log_outbox_id_idx"]),
    ("intent_find", &["outbox_log_pkey"]),
    (
        "job_begin",
        &["outbox_exception_due", "outbox_exception_pkey", "outbox_lane_pkey", "outbox_ready_pkey"],
    ),
    ("job_change", &["outbox_job_pkey"]),
    ("job_check", &["outbox_job_pkey", "outbox_lane_pkey"]),
    ("job_empty", &["outbox_exception_job", "outbox_ready_job"]),
    ("job_find", &["outbox_job_pkey"]),
    ("job_free", &["outbox_lane_pkey"]),
    ("job_idle", &["outbox_lane_pkey"]),
    ("job_page", &["outbox_exception_job", "outbox_ready_job"]),
    (
        "job_put_back",
        &[
            "outbox_block_pkey",
            "outbox_exception_due",
            "outbox_exception_pkey",
            "outbox_record_log_pkey",
        ],
    ),
    ("job_read", &["outbox_ready_job", "outbox_record_log_pkey"]),
    ("job_read_due", &["outbox_exception_job", "outbox_record_log_pkey"]),
    (
        "job_release",
        &[
            "outbox_block_pkey",
            "outbox_exception_job",
            "outbox_exception_pkey",
            "outbox_ready_job",
            "outbox_record_log_pkey",
        ],
    ),
    ("job_stay", &["outbox_exception_pkey", "outbox_ready_pkey"]),
    ("job_take", &["outbox_job_open", "outbox_lane_pkey"]),
    ("lane_add", &[]),
    // Its 64 rows are all looked at: each lane that has something due may be the one.
    ("lane_lock", &["inbox_exception_due", "inbox_ready_pkey", "scan of \"inbox_lane\""]),
    ("lane_lock_ended", &["inbox_block_ended", "inbox_lane_pkey"]),
    ("lane_wait", &["inbox_lane_pkey"]),
    ("lane_wait_ended", &["inbox_block_ended", "inbox_lane_pkey"]),
    ("lease_check", &["outbox_lane_pkey"]),
    ("lease_give_back", &["outbox_lane_pkey"]),
    ("lease_renew", &["outbox_lane_pkey"]),
    ("lease_take", &["outbox_exception_due", "outbox_lane_pkey", "outbox_ready_pkey"]),
    ("message_lanes", &["inbox_lane_pkey", "inbox_log_pkey"]),
    ("message_places", &["inbox_log_pkey"]),
    (
        "message_standing",
        &["inbox_block_pkey", "inbox_exception_pkey", "inbox_log_pkey", "inbox_ready_pkey"],
    ),
    (
        "message_whereabouts",
        &[
            "inbox_done_max_id",
            "inbox_exception_pkey",
            "inbox_log_pkey",
            "inbox_ready_pkey",
            "ux_inbox_dedupe",
        ],
    ),
    ("notify", &[]),
    ("offset_move", &["inbox_offset_pkey"]),
    ("operate_release", &["inbox_exception_pkey"]),
    ("operate_retry", &["inbox_exception_pkey"]),
    ("operate_skip", &["inbox_exception_pkey"]),
    ("operation_change", &["dipmo_operation_pkey"]),
    ("operation_check", &["dipmo_operation_running"]),
    ("operation_find", &["dipmo_operation_pkey"]),
    ("operation_give_back", &["dipmo_operation_pkey"]),
    ("operation_lock", &["dipmo_operation_pkey"]),
    ("operation_met", &["dipmo_operation_item_pkey", "dipmo_operation_pkey", "tid"]),
    ("operation_next", &["dipmo_operation_item_open"]),
    ("operation_open", &["dipmo_operation_item_pkey"]),
    ("operation_renew", &["dipmo_operation_running"]),
    ("operation_take", &["dipmo_operation_pkey", "dipmo_operation_running"]),
    ("outbox_ids", &[]),
    ("outbox_insert", &[]),
    (
        "outbox_read",
        &[
            "outbox_exception_due",
            "outbox_job_open",
            "outbox_lane_pkey",
            "outbox_ready_pkey",
            "outbox_record_log_pkey",
        ],
    ),
    (
        "outbox_read_due",
        &["outbox_exception_due", "outbox_job_open", "outbox_lane_pkey", "outbox_record_log_pkey"],
    ),
    ("outbox_ready_insert", &[]),
    (
        "outbox_release",
        &[
            "outbox_block_ended",
            "outbox_block_pkey",
            "outbox_exception_held",
            "outbox_exception_pkey",
            "outbox_lane_pkey",
            "outbox_ready_pkey",
            "outbox_record_log_pkey",
        ],
    ),
    ("message_overtake", &["inbox_exception_failed", "inbox_exception_pkey", "inbox_log_pkey"]),
    ("unit_overtake", &["outbox_exception_failed", "outbox_exception_pkey"]),
    ("passed_over", &["inbox_exception_passed_over", "inbox_log_pkey"]),
    ("progress_add", &["outbox_progress_pkey"]),
    ("progress_insert", &[]),
    ("progress_operate", &["outbox_progress_pkey"]),
    ("record_insert", &[]),
    ("state_find", &["suite_process_pkey"]),
    ("state_insert", &[]),
    ("state_update", &["suite_process_pkey"]),
    ("timer_cancel", &["process_timer_pkey"]),
    ("timer_set", &[]),
    ("timer_take", &["process_timer_due", "tid"]),
    (
        "unit_adopt",
        &[
            "outbox_block_pkey",
            "outbox_exception_pkey",
            "outbox_lane_pkey",
            "outbox_record_log_pkey",
        ],
    ),
    ("unit_lane_lock_ended", &["outbox_block_ended", "outbox_lane_pkey"]),
    ("unit_lane_wait_ended", &["outbox_block_ended", "outbox_lane_pkey"]),
    ("unit_lanes", &["outbox_lane_pkey", "outbox_log_pkey", "outbox_record_log_pkey"]),
    ("unit_places", &["outbox_log_pkey", "outbox_record_log_pkey"]),
    (
        "unit_standing",
        &[
            "outbox_block_pkey",
            "outbox_exception_pkey",
            "outbox_log_pkey",
            "outbox_progress_pkey",
            "outbox_ready_pkey",
            "outbox_record_log_pkey",
        ],
    ),
    ("wake", &["inbox_exception_parked"]),
];

/// Statements without a plan to look at: they run for a person, once a month, or once for a
/// connection, or are a COPY. What those of lists cost is looked at in `lists`.
const COLD: &[&str] = &[
    "aggregate_rows",
    "aggregate_types",
    "aside_rows",
    "audit_insert",
    "audit_list",
    "begin",
    "begin_read",
    "browse_settings",
    "clock",
    "commit",
    "copy_end_stuck",
    "dedupe_forget",
    "edit_find",
    "edit_keep",
    "edit_write",
    "failure_fold",
    "failure_forget",
    "failure_groups",
    "failure_lock",
    "failure_name",
    "failure_unnamed",
    "fleet_forget",
    "fleet_report",
    "fleet_rows",
    "fleet_sign_off",
    "group_rows",
    "history_carry_intents",
    "history_carry_messages",
    "history_carry_records",
    "history_sweep_edits",
    "history_sweep_inbox_done",
    "history_sweep_inbox_exceptions",
    "history_sweep_intents",
    "history_sweep_jobs",
    "history_sweep_messages",
    "history_sweep_outbox_done",
    "history_sweep_outbox_exceptions",
    "history_sweep_progress",
    "history_sweep_records",
    "horizon_get",
    "horizon_put",
    "inbox_copy",
    "inbox_rows",
    "incident_rows",
    "intent_lines",
    "intent_named",
    "intent_units",
    "intents_caused",
    "intents_few",
    "intents_of_aggregate",
    "job_rows",
    "lane_rows",
    "list_begin",
    "list_end",
    "list_found",
    "list_logged",
    "listen",
    "listener",
    "log_rows",
    "message_few",
    "message_later",
    "message_lines",
    "offset_begin",
    "offset_list",
    "open_end",
    "open_rows",
    "operation_begin",
    "operation_fill",
    "operation_fill_nobody",
    "operation_filled",
    "operation_forget",
    "operation_ids",
    "operation_items",
    "operation_items_of",
    "operation_list",
    "operation_messages",
    "operation_preview",
    "operation_results",
    "operation_settings",
    "operation_units",
    "outbox_caused",
    "outbox_rows",
    "record_intent",
    "record_lines",
    "record_rows",
    "reparse_dedupe",
    "reparse_lanes",
    "reparse_log",
    "reparse_place",
    "resend_insert",
    "resend_records",
    "rollback",
    "slo_add",
    "slo_forget",
    "slo_hours",
    "state_end",
    "state_list",
    "timer_drop",
    "timer_list",
    "token_find",
    "token_insert",
    "token_revoke",
    "token_rows",
    "unit_list",
    "duty_ask",
    "duty_check",
    "duty_end_round",
    "duty_find",
    "duty_give_back",
    "duty_renew",
    "duty_take",
    "lot_answer",
    "lot_archived",
    "lot_begin",
    "lot_find",
    "lot_forget",
    "lot_held",
    "lot_intents",
    "lot_intents_carried",
    "lot_intents_fill",
    "lot_intents_first",
    "lot_list",
    "lot_messages",
    "lot_messages_carried",
    "lot_messages_fill",
    "lot_messages_first",
    "lot_open",
    "lot_records",
    "lot_records_carried",
    "lot_state",
    "lot_wish",
    "lot_wished",
    "replay_beside",
    "replay_erased",
    "restore_intents",
    "restore_messages",
    "restore_records",
    "ageing_inbox",
    "ageing_outbox",
    "control_clear",
    "control_find",
    "control_rows",
    "control_set",
    "erase_alone",
    "erase_edits",
    "erase_exceptions",
    "erase_find_answers",
    "erase_find_intents",
    "erase_find_messages",
    "erase_find_records",
    "erase_find_tables",
    "erase_find_timers",
    "erase_groups",
    "erase_hold",
    "erase_incidents",
    "erase_intents",
    "erase_messages",
    "erase_note",
    "erase_timers",
    "erase_wait_intents",
    "erase_wait_messages",
    "erased_answers",
    "erased_intents",
    "erased_messages",
    "erased_records",
    "hot_keys_inbox",
    "hot_keys_outbox",
    "hot_recent",
    "soundness_change",
    "soundness_delete",
    "soundness_months",
    "soundness_size",
];

#[tokio::test]
async fn postgres_15_plans_by_index() {
    check(Server(15)).await;
}

#[tokio::test]
async fn postgres_18_plans_by_index() {
    check(Server(18)).await;
}

#[test]
fn every_statement_is_hot_or_cold() {
    let mut known: Vec<&str> =
        PLANS.iter().map(|(name, _)| *name).chain(COLD.iter().copied()).collect();
    known.sort_unstable();
    let mut files: Vec<String> =
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("sql"))
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap().replace(".sql", ""))
            .collect();
    files.sort_unstable();
    assert_eq!(files, known, "a statement must be in PLANS or in COLD");
}

async fn check(server: Server) {
    let database = Database::create(server).await;
    let options = dipmo_store_postgres::PostgresOptions::new(&database.url());
    let store = PostgresStore::connect(&options).await.unwrap();
    dipmo_store::Store::migrate(&store, &suite_tables()).await.unwrap();
    let filler = database.client().await;
    let mut wrong = Vec::new();
    for fill in ["", include_str!("support/fill.sql")] {
        filler.batch_execute(fill).await.unwrap();
        // A session that never planned anything, with the settings of the store's own.
        let client = database.client().await;
        client.batch_execute(&store.hot_settings()).await.unwrap();
        if !fill.is_empty() {
            // It runs for a person, but a month must not be read from its beginning to its end.
            let found = indexes(&client, "message_later").await;
            let needed = ["inbox_log_aggregate_id_idx", "inbox_log_left_idx"];
            let missing = needed.iter().filter(|index| !found.contains(**index));
            wrong.extend(missing.map(|index| format!("message_later without {index}: {found:?}")));
        }
        for (name, expected) in PLANS {
            let found = indexes(&client, name).await;
            let expected: BTreeSet<String> =
                expected.iter().map(|name| (*name).to_owned()).collect();
            if found != expected {
                let tables = if fill.is_empty() { "empty" } else { "full" };
                wrong.push(format!("{name}, {tables} tables: {found:?}, expected {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{server:?}\n{}", wrong.join("\n"));
}

/// The indexes of a statement's generic plan; a scan of a table is named as such.
async fn indexes(client: &Client, name: &str) -> BTreeSet<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("sql/{name}.sql"));
    let text = std::fs::read_to_string(file).unwrap();
    let text = text.replace("{box}", "inbox").replace("{table}", "suite_process");
    // The suite's process has two projected columns.
    let text = text
        .replace("{columns}", ", reference, note")
        .replace("{arrays}", ", $12::varchar[], $13::varchar[]")
        .replace("{set}", ", reference = u.reference, note = u.note");
    indexes_of(client, name, &text).await
}

/// The indexes of the generic plan of a text.
pub(crate) async fn indexes_of(client: &Client, name: &str, text: &str) -> BTreeSet<String> {
    let params = (1..=20).filter(|n| text.contains(&format!("${n}"))).count();
    indexes_for(client, name, text, &vec!["null"; params]).await
}

/// The indexes of the plan of a text for some values.
pub(crate) async fn indexes_for(
    client: &Client,
    name: &str,
    text: &str,
    values: &[&str],
) -> BTreeSet<String> {
    client.batch_execute(&format!("prepare hot as {text}")).await.unwrap();
    let values = if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
    let explain = format!("explain (format json) execute hot{values}");
    let row =
        client.simple_query(&explain).await.unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let plan = row
        .iter()
        .find_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        })
        .unwrap();
    let hashed = plan.contains("hashed SubPlan");
    let plan: serde_json::Value = serde_json::from_str(plan).unwrap();
    client.batch_execute("deallocate hot").await.unwrap();
    let mut found = BTreeSet::new();
    collect(&plan, &mut found);
    found.extend(hashed.then(|| "a hash of a whole table".to_owned()));
    found
}

fn collect(node: &serde_json::Value, found: &mut BTreeSet<String>) {
    match node {
        serde_json::Value::Array(nodes) => nodes.iter().for_each(|node| collect(node, found)),
        serde_json::Value::Object(fields) => {
            match fields.get("Node Type").and_then(|kind| kind.as_str()) {
                Some("Seq Scan") => {
                    found.insert(format!("scan of {}", fields["Relation Name"]));
                }
                Some("Tid Scan") => {
                    found.insert("tid".to_owned());
                }
                _ => {}
            }
            if let Some(index) = fields.get("Index Name").and_then(|name| name.as_str()) {
                found.insert(without_partition(index));
            }
            fields.values().for_each(|field| collect(field, found));
        }
        _ => {}
    }
}

/// `inbox_log_202611_pkey` and `inbox_log_rest_pkey` are `inbox_log_pkey`.
fn without_partition(index: &str) -> String {
    let is_partition = |part: &&str| {
        *part == "rest" || part.len() == 6 && part.bytes().all(|b| b.is_ascii_digit())
    };
    index.split('_').filter(|part| !is_partition(part)).collect::<Vec<_>>().join("_")
}
