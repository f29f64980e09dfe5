-- Fails while a unit is left in a job.
select dipmo_assert(
    not exists (select from outbox_ready where job_id = $1)
    and not exists (select from outbox_exception where job_id = $1),
    'refused', 'units are left in job ' || $1::int8)
