//! The macro that turns the suite into tests of a store.

/// Makes a test of every function of the suite, for one fixture.
///
/// ```ignore
/// conformance!(MyFixture);                            // can do everything
/// conformance!(MyFixture, single_writer);             // one batch at a time
/// conformance!(MyFixture, in_process);                // nobody can end its sessions
/// conformance!(MyFixture, single_writer, in_process);
/// conformance!(MyFixture, no_sql);                    // takes no SQL of users
/// ```
///
/// - `single_writer`: a second batch waits for the first instead of passing over its lanes. The
///   tests of [`at_once`](crate::suite::at_once) and [`at_once_rows`](crate::suite::at_once_rows)
///   are left out; those of [`one_at_a_time`](crate::suite::one_at_a_time) say what holds instead.
/// - `in_process`: a batch that died or stands still is not a session that the database could end.
///   The tests of [`sessions`](crate::suite::sessions) are left out; those of
///   [`in_process`](crate::suite::in_process) say what holds instead.
///
/// - `no_sql`: the store has no SQL. The tests of [`queries`](crate::suite::queries),
///   [`statements`](crate::suite::statements) and [`probe`](crate::suite::probe) are left out; those
///   of [`no_sql`](crate::suite::no_sql) say that it refuses.
///
/// A word is a statement about the store that its README repeats, and not a way to make a test
/// pass.
#[macro_export]
macro_rules! conformance {
    ($fixture:ty) => {
        $crate::conformance_always!($fixture);
        $crate::conformance_sql!($fixture);
        $crate::conformance_at_once!($fixture);
        $crate::conformance_sessions!($fixture);
    };
    ($fixture:ty, no_sql) => {
        $crate::conformance_always!($fixture);
        $crate::conformance_at_once!($fixture);
        $crate::conformance_sessions!($fixture);
        $crate::conformance_no_sql!($fixture);
    };
    ($fixture:ty, single_writer) => {
        $crate::conformance_always!($fixture);
        $crate::conformance_sql!($fixture);
        $crate::conformance_one_at_a_time!($fixture);
        $crate::conformance_sessions!($fixture);
    };
    ($fixture:ty, in_process) => {
        $crate::conformance_always!($fixture);
        $crate::conformance_sql!($fixture);
        $crate::conformance_at_once!($fixture);
        $crate::conformance_in_process!($fixture);
    };
    ($fixture:ty, single_writer, in_process) => {
        $crate::conformance_always!($fixture);
        $crate::conformance_sql!($fixture);
        $crate::conformance_one_at_a_time!($fixture);
        $crate::conformance_in_process!($fixture);
    };
}

/// What every store does.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_always {
    ($fixture:ty) => {
        $crate::conformance_tests! { $fixture;
            store {
                new_messages_get_growing_ids,
                another_instance_sees_them,
                an_empty_batch_is_nothing,
                received_at_is_the_databases_time,
                a_new_row_is_received,
                an_undecodable_message_is_kept_and_not_claimed,
                one_poison_leaves_its_neighbours,
                thousands_in_one_call,
            }
            dedupe {
                the_same_message_twice,
                the_same_message_twice_in_one_call,
                a_processed_message_is_remembered,
                trap_3_redelivered_poison,
                trap_6_over_long_ids_stay_apart,
                ids_are_per_source,
                trap_10_another_content_is_an_incident,
                another_content_in_one_call,
                an_incident_keeps_bytes,
                a_tombstone_is_not_the_text_null,
            }
            offsets {
                come_back_sorted,
                never_go_back,
                a_topic_made_anew_starts_again,
                an_unknown_topic_id_says_nothing,
                a_topic_id_is_learnt_and_kept,
                the_same_partition_twice_in_a_call,
            }
            ranges {
                move_on,
                trap_9_beyond_the_database,
                trap_9_of_an_unknown_partition,
                trap_9_of_another_topic,
                trap_9_one_of_many,
                a_database_that_is_further_along,
                a_topic_id_is_learnt,
                the_same_partition_twice_in_a_call,
                a_refused_call_stores_nothing,
                are_stored_with_the_messages_or_not_at_all,
            }
            bytes {
                trap_1_a_tombstone,
                trap_2_bytes_that_are_no_text,
                trap_4_odd_json,
                trap_5_odd_keys,
                trap_5_odd_headers,
                trap_6_over_long_texts,
                empty_is_not_missing,
                trap_7_odd_timestamps,
                five_megabytes,
                a_thousand_messages_at_once,
                random_records,
            }
            claim {
                nothing_to_do_calls_nobody,
                a_batch_is_sorted_by_id,
                the_logic_is_told_the_time,
                a_processed_message_is_gone,
                no_more_lanes_than_asked,
                lanes_are_looked_for_from_the_start,
                no_more_messages_than_asked,
                no_more_messages_than_asked_over_many_lanes,
                a_limit_never_leaves_a_gap,
                due_retries_come_with_the_ready_ones,
                a_lane_with_nothing_due_is_left_alone,
                due_retries_keep_to_the_limit,
            }
            due_first {
                trap_12_messages_wait_for_what_is_due,
                trap_12_over_many_lanes,
                decoded_ones_do_not_stop_what_they_wait_for,
                trap_23_units_wait_for_what_is_due,
                units_come_along_when_all_that_is_due_fits,
            }
            settle {
                processed_at_the_first_attempt,
                retry_shows_when_and_why,
                attempts_count_up,
                processed_after_a_retry,
                failed_is_not_due,
                many_ways_in_one_batch,
                a_long_failure_fits,
            }
            atomic {
                an_unsettled_message_is_an_error,
                no_wave_is_an_error,
                a_message_settled_twice_is_an_error,
                a_message_of_somebody_else_is_an_error,
                a_bad_version_writes_nothing,
                a_bad_wave_takes_the_earlier_ones_back,
                a_rolled_back_retry_blocks_nobody,
                a_panic_frees_the_batch,
                a_dropped_batch_is_whole_or_nothing,
            }
            hold {
                trap_12_a_retry_is_not_overtaken,
                the_held_go_on_in_order,
                held_in_the_batch_that_ends_the_head,
                nobody_is_held_behind_nothing,
                a_failed_head_blocks,
                a_failed_message_without_block_goes_on,
                a_head_that_fails_without_block_ends_it,
                a_head_that_fails_keeps_the_block,
                a_message_that_is_alone_blocks_nobody,
                order_is_by_key_without_an_aggregate,
                a_tried_message_is_held_and_comes_back,
                what_is_not_tried_keeps_its_status,
                a_key_waits_for_the_earlier_head,
                who_is_not_the_head_ends_no_block,
            }
            release {
                five_hundred_go_at_once,
                more_go_in_bounded_steps,
                new_ones_wait_while_a_block_is_lifted,
                a_released_message_fails,
                many_keys_share_the_limit,
                nothing_to_release,
            }
            park {
                a_parked_message_waits_untried,
                its_key_goes_on,
                trap_13_a_gap_closes,
                waking_is_for_parked_messages_of_the_key,
                parked_and_woken_in_one_batch,
                the_deadline_comes,
                parking_again_keeps_the_deadline,
                parked_then_retried_blocks,
                a_parked_head_ends_its_block,
                a_held_message_is_not_woken,
            }
            passed_over {
                trap_13_what_failed_or_was_skipped,
                trap_13_a_skip_wakes_what_is_parked,
                trap_13_a_parked_message_is_retried,
            }
            states {
                come_back_as_written,
                what_is_not_there_is_not_found,
                the_time_is_the_databases,
                a_change_is_written,
                another_version_is_a_conflict,
                an_instance_is_made_once,
                an_instance_that_is_not_there_cannot_change,
                many_in_one_batch,
                a_missing_projected_column_is_refused,
                an_unknown_state_is_refused,
                odd_ids_come_back,
                an_id_that_is_too_long_is_refused,
                trap_4_odd_documents_come_back,
            }
            writes {
                every_kind_of_column,
                rows_come_in_the_order_of_the_key,
                only_newer_versions_change_a_row,
                columns_not_named_keep_their_value,
                nothing_but_the_key,
                without_a_version_the_last_counts,
                the_same_row_many_times,
                a_delete_deletes,
                a_delete_with_a_version_spares_newer_rows,
                a_thousand_rows,
                a_value_that_does_not_fit_is_refused,
            }
            facts {
                facts_are_found_by_key,
                a_wave_sees_the_wave_before,
                a_wave_sees_the_blocks_of_the_wave_before,
                a_hundred_waves,
                intents_keep_the_order_of_waves,
            }
            timers {
                a_due_timer_becomes_a_message,
                a_timer_that_is_not_due_waits,
                setting_again_moves_it,
                set_twice_in_one_wave,
                a_cancelled_timer_does_not_fire,
                fired_and_set_again_is_new,
                no_more_than_asked,
                two_instances_fire_each_once,
                a_rolled_back_timer_was_never_set,
            }
            intents {
                come_back_as_written,
                every_kind_of_destination,
                newest_first_to_a_person,
                units_of_a_key_come_in_order,
                no_headers_are_no_headers,
                a_text_that_does_not_fit_is_refused,
            }
            records {
                two_thousand_records,
                each_record_has_its_own_outcome,
                the_intent_sums_up_its_records,
                the_same_record_twice,
                units_of_all_kinds_share_one_order,
                no_records_are_no_records,
            }
            leases {
                lanes_with_work_are_leased,
                a_lane_has_one_owner,
                a_lease_runs_out,
                a_lease_is_given_back,
                only_the_owner_renews,
                what_was_lost_is_not_renewed,
                trap_20_a_late_settler_is_fenced,
                late_but_nobody_took_it,
                trap_25_destinations_have_lanes_of_their_own,
                due_destinations_have_work,
                reading_passes_over_what_is_in_flight,
                nothing_is_read_without_a_lease,
                due_units_keep_to_the_limit,
                no_lane_starves,
            }
            outbox_settle {
                dispatched_at_the_first_attempt,
                trap_21_a_retry_stays_pending,
                attempts_count_up,
                failed_is_not_read_again,
                later_counts_no_attempt,
                unanswered_counts_no_attempt_and_waits,
                a_part_of_a_chunk_is_fenced,
                a_unit_given_twice_is_fenced,
                settling_twice_is_fenced,
                a_unit_of_another_lane_is_fenced,
                many_results_in_one_settlement,
                an_empty_settlement_is_nothing,
                a_unit_without_a_row_that_waits_is_fenced,
                a_lease_of_something_else_is_fenced,
            }
            outbox_hold {
                held_units_wait,
                trap_23_a_new_unit_says_what_it_waits_for,
                the_head_waits_for_nobody,
                a_unit_that_was_put_off_is_not_overtaken,
                the_held_go_on_in_order,
                a_failed_head_blocks_or_not,
                only_the_same_key_at_the_same_destination_waits,
                held_in_the_settlement_that_ends_the_head,
                nobody_is_held_behind_nothing,
                a_key_waits_for_the_earlier_head,
            }
            outbox_release {
                many_are_let_go_in_steps,
                new_ones_wait_while_a_block_is_lifted,
                a_released_unit_is_retried,
            }
            replies {
                an_intent_is_answered,
                a_failure_is_told,
                who_did_not_ask_is_not_told,
                the_last_record_brings_the_answer,
                many_intents_end_at_once,
                many_failures_are_counted,
                a_fenced_settlement_answers_nobody,
            }
            internal {
                messages_are_stored_with_the_settlement,
                duplicates_are_not_counted,
                a_fenced_settlement_stores_nothing,
                a_dropped_settlement_is_whole_or_nothing,
                messages_go_with_any_result,
            }
            history {
                settled_messages_go_and_others_stay,
                what_stays_goes_on,
                the_present_month_stays,
                dedupe_outlives_history,
                ids_are_never_used_again,
                settled_intents_go_and_others_stay,
                an_intent_with_records_stays_whole,
                what_was_given_up_goes,
                small_steps_end,
                months_can_be_prepared_again,
            }
            forget {
                ids_without_a_message_go,
                ids_of_messages_that_stand_stay,
                newer_ids_stay,
                small_steps_end,
                the_horizon_never_goes_back,
            }
            migrations {
                an_empty_database_is_not_ready,
                migrating_makes_it_ready,
                migrating_again_does_nothing,
                three_instances_at_once,
                a_table_may_have_more_columns,
                a_table_that_does_not_fit_is_refused,
                a_new_table_is_added,
                a_new_state_is_added,
                an_older_instance_does_not_forbid_new_states,
            }
            plans {
                an_empty_database_has_everything_before_it,
                nothing_to_do_is_an_empty_plan,
                a_plan_names_new_tables_and_states,
                a_plan_of_a_table_that_does_not_fit_is_refused,
                the_status_tells_what_was_applied,
                the_table_of_a_process_that_is_no_more_stays,
            }
            states_gone {
                they_are_listed,
                many_are_counted,
                migrating_is_refused,
                a_mapping_moves_them,
                what_was_read_before_cannot_be_written,
                a_state_that_was_mapped_is_forgotten,
                a_state_that_is_only_gone_is_allowed,
                a_state_of_a_newer_version_is_no_matter,
                a_newer_state_can_be_mapped_back,
                an_older_version_gets_its_states_back,
                a_mapping_that_does_not_fit_is_refused,
                a_failed_migration_moves_nobody,
            }
            wake {
                a_new_message,
                a_message_of_a_settlement,
                a_fired_timer,
                a_batch_that_lets_go,
                released_messages,
                an_intent,
                released_units,
                operators,
                another_instance,
                an_idle_store_is_quiet,
            }
            inspect {
                newest_messages_first,
                newest_incidents_first,
                the_clock_does_not_go_back,
            }
            whereabouts {
                every_place_is_told,
                what_ended_after_a_retry,
                history_has_ended,
            }
            backlog {
                nothing_waits,
                ready_messages,
                retries,
                held_messages,
                a_tried_message_is_held,
                parked_messages,
                failed_messages,
                the_oldest_moves_on,
                history_does_not_count,
                timers,
            }
            outbox_backlog {
                destinations_count_for_themselves,
                records_are_units,
                held_units,
                retries,
                failed_units,
                history_does_not_count,
            }
            races {
                the_same_message_from_two_instances,
                another_content_from_two_instances,
                fifty_overlapping_calls,
                opposite_orders_both_succeed,
                ranges_from_two_instances,
                trap_9_a_range_overtakes_another,
                trap_9_a_topic_is_made_anew_meanwhile,
            }
            races_work {
                claimers_hammer_one_lane,
                claimers_share_the_lanes,
                trap_16_commits_out_of_order,
                release_races_with_arrivals,
                a_new_destination_from_many_batches,
            }
            races_outbox {
                leases_at_once,
                settled_at_once,
                settled_and_stored_at_once,
            }
            operate {
                a_failed_message_is_retried,
                trap_12_a_retried_head_is_not_overtaken,
                a_waiting_message_is_due_now,
                a_skipped_head_lets_go,
                many_behind_a_skipped_head_go_in_steps,
                what_waits_aside_can_be_skipped,
                asked_twice_changes_nothing,
                what_cannot_be_done_says_why,
                a_message_that_blocks_nobody,
                a_retried_message_waits_for_the_head,
                who_is_not_the_head_ends_no_block,
                a_thousand_at_once,
            }
            operate_units {
                a_failed_unit_is_retried,
                a_waiting_unit_is_due_now,
                retried_while_in_hand,
                a_skipped_unit_lets_go,
                many_behind_a_skipped_unit_go_in_steps,
                trap_23_read_before_and_held_after_a_skip,
                trap_20_a_settlement_from_before_a_retry_is_fenced,
                an_answer_for_each_end,
                records_are_counted_anew,
                a_retried_unit_is_held_and_answered_for,
                what_cannot_be_done_says_why,
            }
            release_behind {
                trap_12_the_head_stays_and_others_pass,
                released_and_retried_at_once,
                many_go_in_steps,
                what_cannot_be_decoded_leaves_the_line,
                trap_13_what_is_parked_is_due,
                what_cannot_be_done_says_why,
                units_stay_and_others_pass,
            }
            overtaken {
                a_later_message_was_processed,
                nothing_later_was_processed,
                a_later_message_is_the_head,
                by_key_without_an_aggregate,
                trap_13_a_later_version_came_before,
                trap_13_an_earlier_version_came_later,
                versions_of_two_producers,
                a_later_unit_was_delivered,
            }
            poison {
                what_comes_later_waits,
                an_earlier_message_is_retried,
                a_key_that_waits_already,
                several_in_line,
                many_go_up_to_the_next,
                trap_3_redelivered,
                who_blocks_nobody,
                it_comes_while_a_block_ends,
            }
            reparse {
                it_keeps_its_place,
                what_was_not_processed_waits_for_it,
                later_ones_were_processed,
                a_known_id_is_a_duplicate,
                it_is_recognised_again,
                it_is_of_another_aggregate,
                it_waits_for_its_turn,
                trap_12_it_overtakes_nothing_that_is_ready,
                trap_12_a_later_one_was_decoded_before_it,
                trap_12_it_comes_before_what_was_just_let_go,
                what_cannot_be_done_says_why,
                trap_17_it_waits_for_a_batch,
            }
            reparse_conflicts {
                trap_12_later_ones_of_its_key_were_processed,
                an_aggregate_and_a_key_of_one_name,
                one_that_is_alone_is_never_late,
                trap_10_an_impostor_is_an_incident,
                trap_10_impostors_of_one_call_and_of_letters,
            }
            mirror {
                poison_has_a_letter,
                poison_that_blocks_has_a_letter,
                trap_3_redelivered_poison_is_mirrored_once,
                trap_11_a_letter_comes_with_its_message,
                thousands_of_letters,
                a_letter_wakes_dispatchers,
            }
            bring_back {
                a_failed_message_is_tried_again,
                a_letter_brings_back_its_own_failure,
                an_operator_was_faster,
                what_did_not_fail_is_left,
                poison_is_decoded,
                poison_that_cannot_go_on,
                what_is_not_known,
                thousands_of_letters,
                trap_17_it_waits_for_a_batch,
            }
            races_operate {
                trap_17_an_operator_waits_for_a_batch,
                two_operators_at_once,
                operators_and_a_dispatcher,
                operators_and_workers,
            }
            jobs {
                a_job_takes_what_would_be_read,
                what_is_due_goes_first,
                a_job_stops_at_its_size,
                too_few_are_no_job,
                lanes_without_units_stay,
                a_lost_lane_begins_no_job,
            }
            jobs_lanes {
                they_are_leased_with_the_job_only,
                nothing_is_read_of_them,
                what_waits_in_them_is_not_due,
                a_job_that_is_all_answered_is_still_due,
                new_units_wait_for_its_end,
                other_destinations_are_untouched,
                a_job_across_all_lanes,
            }
            jobs_phases {
                each_change_has_its_phase,
                the_remote_id_is_kept_and_forgotten,
                a_phase_has_its_time,
                no_unit_is_left_behind,
                a_job_is_changed_under_all_its_leases,
                jobs_are_listed,
            }
            jobs_units {
                chunks_are_settled_whole,
                the_rest_of_a_chunk_stays,
                what_stayed_is_settled_in_every_way,
                a_retry_leaves_the_job,
                attempts_count_on,
                only_what_is_in_a_job_stays_in_it,
            }
            jobs_pages {
                a_page_has_whole_chunks,
                marks_outlive_what_was_before_them,
                a_page_is_read_again,
                pages_are_settled_in_any_order,
                a_page_is_of_one_job,
            }
            jobs_release {
                all_are_ready_again,
                those_behind_a_mark,
                what_was_due_is_due,
                a_head_without_attempts_goes_on,
                what_had_stayed_takes_its_place,
                the_rest_goes_on,
            }
            jobs_aside {
                what_was_put_off_goes_behind_who_stayed,
                what_was_put_off_does_not_block_who_was_tried,
                a_small_job_takes_the_earlier_one,
                behind_a_mark_it_goes_to_its_place,
                before_a_mark_its_key_waits_for_it,
            }
            jobs_order {
                blocked_units_are_held,
                what_a_head_held_comes_after_the_job,
                operators_let_nothing_go_beside_a_job,
                held_behind_nothing_it_is_the_head,
                who_leaves_does_not_block_who_stays,
                who_stayed_and_is_released_goes_first,
                the_earlier_of_two_is_the_head,
            }
            jobs_take {
                when_nobody_holds_its_lanes,
                trap_20_the_old_holder_is_fenced,
                trap_22_a_crash_in_every_phase,
                what_was_released_stays_released,
                the_oldest_first,
            }
            jobs_replies {
                one_answer_for_thousands_of_records,
            }
            jobs_operate {
                a_retried_unit_comes_after_the_job,
                a_failed_unit_is_skipped,
                a_unit_in_a_job_stays_in_it,
                units_in_jobs_count,
                a_job_that_has_not_ended_shows_its_age,
                history_keeps_what_is_in_a_job,
            }
            lookup {
                rows_are_found_by_their_keys,
                a_key_is_itself,
                a_row_has_all_its_columns,
                thousands_of_keys,
                a_key_of_another_kind_is_refused,
                what_is_not_there_is_named,
            }
            jobs_races {
                one_takes_it,
                each_job_has_one_taker,
                one_begins_it,
                settled_and_taken_at_once,
                settled_twice_at_once,
                ended_and_taken_at_once,
            }
            jobs_stress {
                trap_23_order_holds_around_jobs,
            }
            stress {
                trap_14_order_holds_for_every_aggregate,
                trap_12_order_holds_in_long_queues,
            }
            stress_outbox {
                trap_23_order_holds_for_every_record,
                trap_23_order_holds_in_long_queues,
            }
        }
    };
}

/// What a store does that takes SQL of users.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_sql {
    ($fixture:ty) => {
        $crate::conformance_tests! { $fixture;
            queries {
                each_request_gets_its_rows,
                columns_are_read_as_declared,
                a_wave_sees_the_wave_before,
                thousands_of_requests,
                none_and_null,
                a_failure_is_a_refusal,
                values_that_do_not_fit_are_refused,
                another_result_is_said,
                rows_are_looked_up,
            }
            statements {
                they_run_in_their_order,
                every_kind_of_value,
                values_stay_values,
                a_poison_among_good_ones,
                a_thousand_runs,
                what_is_not_installed_is_refused,
            }
            probe {
                what_is_right_is_not_run,
                what_is_wrong_is_said,
                migrate_finds_it_too,
                a_query_that_writes_is_refused,
            }
        }
    };
}

/// What holds instead for a `no_sql` store.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_no_sql {
    ($fixture:ty) => {
        $crate::conformance_tests! { $fixture;
            no_sql {
                none_is_installed,
                none_is_run,
            }
        }
    };
}

/// What a store does that lets batches be inside at once.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_at_once {
    ($fixture:ty) => {
        $crate::conformance_tests! { $fixture;
            at_once {
                trap_14_locked_lanes_are_passed_over,
                two_batches_are_inside_at_once,
                storing_does_not_wait,
                dispatching_does_not_wait,
                nobody_sees_a_batch_before_it_commits,
                trap_16_a_late_commit_is_not_passed_over,
                trap_8_the_same_message_in_an_open_transaction,
                releasing_does_not_disturb_a_batch,
                releasing_goes_on_beside_a_batch,
            }
            at_once_rows {
                two_lanes_change_one_instance,
                two_lanes_make_one_instance,
                two_lanes_write_the_same_rows,
                a_timer_is_fired_and_cancelled_at_once,
            }
        }
    };
}

/// What holds instead for a `single_writer` store.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_one_at_a_time {
    ($fixture:ty) => {
        $crate::conformance_tests! { $fixture;
            one_at_a_time {
                a_second_batch_sees_what_the_first_committed,
                storing_waits_and_loses_nothing,
                settling_waits_and_both_are_written,
            }
        }
    };
}

/// What a store does whose sessions can be ended from outside.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_sessions {
    ($fixture:ty) => {
        $crate::conformance_tests! { $fixture;
            sessions {
                trap_17_a_dead_claimer,
                trap_17_a_stopped_claimer,
                the_instance_works_on,
            }
        }
    };
}

/// What holds instead for an `in_process` store.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_in_process {
    ($fixture:ty) => {
        $crate::conformance_tests! { $fixture;
            in_process {
                a_batch_that_stands_still_keeps_its_messages,
            }
        }
    };
}

/// Makes the tests of a list.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    ($fixture:ty; $($module:ident { $($name:ident),+ $(,)? })+) => {
        $(
            mod $module {
                use super::*;
                $(
                    #[test]
                    fn $name() {
                        $crate::run($crate::suite::$module::$name::<$fixture>);
                    }
                )+
            }
        )+
    };
}
