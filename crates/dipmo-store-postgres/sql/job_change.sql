-- Brings a job into a phase. Its remote id is forgotten with the job that it was made for.
update outbox_job
set phase = $2::varchar, phase_at = now(), ended_at = case when $2::varchar = 'ENDED' then now() end,
    remote_id = case when $2::varchar <> 'SEALED' then coalesce($3::varchar, remote_id) end
where id = $1
returning id, destination, phase, remote_id, units, created_at, phase_at
