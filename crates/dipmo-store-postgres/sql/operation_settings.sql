-- For the rest of this transaction: what an operation is about is found by index, with a plan that is made for
-- what is asked and leaves out what is not.
select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true)
