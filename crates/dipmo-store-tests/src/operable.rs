//! The macro that turns the operators' part of the suite into tests of a store.

/// Makes a test of every function of [`suite::operable`](crate::suite::operable), for a fixture that is an
/// [`OperableFixture`](crate::OperableFixture). Each shows under a name of its own, such as
/// `operable::audit::the_newest_first`.
#[macro_export]
macro_rules! operable_conformance {
    ($fixture:ty) => {
        $crate::operable_tests! { $fixture;
            browse_messages {
                lines_are_rows_of_the_inbox,
                by_status,
                what_is_ready_behind_what_ended,
                held_and_parked,
                by_what_was_told,
                by_an_over_long_id,
                all_that_is_said_holds,
            }
            browse_messages_said {
                by_error_code,
                by_failure,
                by_time,
                by_text,
            }
            browse_units {
                lines_are_rows_of_the_outbox,
                by_status,
                what_is_ready_behind_what_ended,
                held,
                in_a_job,
            }
            browse_units_said {
                by_what_they_are_about,
                by_aggregates_of_several_types,
                by_intent_and_cause,
                by_failure,
                by_time,
                by_text,
                all_that_is_said_holds,
            }
            browse_paging {
                an_empty_list_ends_at_once,
                a_page_has_a_size,
                a_page_tells_its_time,
                rows_come_in_between,
                rows_move_in_between,
                units_of_many_records,
                behind_the_last_row,
            }
            browse_one {
                a_message,
                an_intent,
                what_messages_caused,
            }
            browse_instances {
                each_filter_finds_its_own,
                behind_an_id,
                a_prefix_is_no_pattern,
                a_process_without_a_table,
            }
            browse_lanes {
                a_leased_lane_names_its_owner,
                a_lease_that_ran_out,
                a_job_holds_lanes,
            }
            audit {
                an_entry_is_kept,
                the_newest_first,
                each_filter_finds_its_own,
                by_time,
                an_entry_cannot_be_changed,
                an_entry_that_is_too_long,
            }
            access {
                a_token_is_found_by_its_hash,
                a_name_is_given_once,
                a_hash_is_given_once,
                a_revoked_token_is_not_found,
                a_token_has_an_end,
                the_newest_first,
                one_name_at_once,
                no_change_without_its_entry,
                a_hash_is_not_shown,
            }
            fleet {
                telling_again_is_seen_again,
                who_was_seen_last_comes_first,
                who_signs_off_is_gone,
                who_was_not_seen_is_forgotten,
            }
            slo {
                what_is_counted_adds_up,
                adding_at_once_loses_nothing,
                old_hours_are_left_out_and_forgotten,
            }
            controls {
                a_pause_is_kept,
                what_is_so_already_stays,
                each_thing_has_its_own,
                no_change_without_its_entry,
                one_of_two_changes_it,
                a_setting_has_a_value,
            }
            ageing {
                what_stands_how,
                every_age_has_its_place,
                a_lane_has_what_goes_on,
                a_long_lane_is_not_read_to_its_end,
            }
            hot {
                the_key_with_the_most_comes_first,
                a_key_of_kafka_is_no_aggregate,
                what_has_ended_is_not_hot,
            }
            soundness {
                the_audit_is_kept_until_somebody_opens_it,
                months_have_room,
            }
            actions {
                what_was_asked_for_is_kept,
                a_beginning_is_in_the_audit,
                a_preview_begins_nothing,
                items_are_kept_as_they_stood,
                ids_are_taken_as_they_are,
                nothing_to_do_has_ended,
                operations_are_listed,
                items_are_forgotten,
            }
            actions_targets {
                what_is_taken_of_messages,
                what_is_taken_of_units,
                a_filter_of_messages_is_kept_to,
                a_filter_of_units_is_kept_to,
            }
            actions_perform {
                each_act_is_done,
                each_has_its_word,
                what_was_overtaken_is_done_by_force,
                what_moved_since_is_left_alone,
                performed_twice_is_done_once,
                only_items_of_it_are_done,
                many_behind_a_head_go_in_steps,
                a_thousand_at_once,
                workers_are_woken,
                what_is_parked_is_retried,
            }
            actions_units {
                each_act_is_done,
                each_has_its_word,
                a_unit_is_done_once,
                records_are_done_each,
                dispatchers_are_woken,
            }
            actions_lease {
                an_operation_is_taken_by_one,
                an_operation_is_taken_by_its_number,
                a_lease_that_was_taken_over_is_fenced,
                whoever_takes_over_goes_on,
                a_lease_is_given_back,
                a_lease_is_prolonged,
                a_paused_one_performs_nothing,
                changes_are_in_the_audit,
                each_item_is_done_once_by_many,
            }
            actions_reparse {
                messages_are_decoded_again,
                each_has_its_word,
                what_was_overtaken_is_decoded_by_force,
                each_is_decoded_once,
                a_lease_that_was_taken_over_is_fenced,
                another_act_decodes_nothing,
            }
            actions_replay {
                a_message_is_processed_a_second_time,
                each_has_its_word,
                each_is_replayed_once,
                a_lease_that_was_taken_over_stores_nothing,
                it_waits_its_turn,
                what_was_erased_since_is_left_alone,
                an_id_that_is_taken_is_told_of,
                workers_are_woken,
                what_a_filter_finds,
            }
            actions_resend {
                a_unit_is_sent_a_second_time,
                a_record_is_sent_a_second_time,
                each_has_its_word,
                it_waits_its_turn,
                each_is_sent_again_once,
                a_lease_that_was_taken_over_sends_nothing,
                dispatchers_are_woken,
                what_a_filter_finds,
            }
            edits {
                a_message_says_something_else_and_what_came_is_kept,
                edited_again_keeps_what_came_first,
                each_has_its_word,
                what_was_overtaken_is_edited_by_force,
                of_two_editors_one_is_heard,
                a_worker_reads_what_it_says_now,
                workers_are_woken,
                what_is_dropped_is_forgotten,
            }
            steer {
                an_instance_is_moved,
                its_timers_are_taken_away,
                what_went_on_meanwhile_is_left_alone,
                a_worker_who_decides_at_the_same_moment_decides_again,
                a_state_of_no_process,
                nobody_is_moved,
            }
            duties {
                one_has_it,
                a_lease_runs_out,
                one_of_many_gets_it,
                who_asks_is_heard,
            }
            archive {
                a_lot_is_what_is_settled,
                what_was_dropped_comes_back,
                what_ends_later_comes_later,
                small_portions_end,
                nothing_is_dropped_before_it_is_archived,
                who_lost_the_duty_changes_nothing,
                wishes_are_kept_and_answered,
            }
            erasure {
                nothing_of_it_is_left,
                the_audit_has_the_counts,
                a_dry_run_changes_nothing,
                others_are_left_alone,
                what_comes_again_is_a_duplicate,
                what_came_since_is_erased_again,
                what_was_erased_is_not_sent_again,
                a_worker_does_not_bring_it_back,
                an_instance_that_is_named,
            }
            erasure_waits {
                messages_that_have_not_ended,
                intents_that_have_not_ended,
                what_its_messages_caused,
                instances_that_have_not_ended,
                an_instance_that_is_to_end_here,
            }
            erasure_archived {
                what_is_restored_is_blank,
                in_whatever_order_it_is_restored,
                what_stands_aside_is_blanked,
            }
            failures {
                a_failure_has_a_group,
                alike_ones_share_a_group,
                the_newest_failures_first,
                folding_changes_nothing,
                forgotten_groups_come_back,
                a_list_by_group_has_those_that_count,
            }
            failures_counts {
                the_counts_follow_a_message,
                what_was_skipped_does_not_count,
                what_cannot_be_decoded_has_failed,
                what_waits_with_a_failure_is_retrying,
                a_batch_that_is_rolled_back_counts_nothing,
                history_moves_no_count,
            }
            failures_units {
                a_unit_has_a_group,
                the_counts_follow_a_unit,
                what_is_let_go_untried_does_not_count,
                what_was_given_up_does_not_count,
                records_count_each,
            }
            failures_stress {
                the_counts_are_those_of_all_rows,
            }
        }
    };
}

/// Makes the tests of a list.
#[doc(hidden)]
#[macro_export]
macro_rules! operable_tests {
    ($fixture:ty; $($module:ident { $($name:ident),+ $(,)? })+) => {
        mod operable {
            use super::*;
            $(
                mod $module {
                    use super::*;
                    $(
                        #[test]
                        fn $name() {
                            $crate::run($crate::suite::operable::$module::$name::<$fixture>);
                        }
                    )+
                }
            )+
        }
    };
}
