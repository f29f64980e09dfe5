-- For the rest of this transaction: plans by index and in the order of ids, each made for the values at hand, and
-- no statement that takes longer than a person waits.
select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true),
    set_config('enable_incremental_sort', 'off', true), set_config('max_parallel_workers_per_gather', '0', true),
    set_config('plan_cache_mode', 'force_custom_plan', true), set_config('statement_timeout', '10s', true)
