-- Jobs for people: those that have not ended, then the newest that have.
select id, destination, phase, remote_id, units, created_at, phase_at from (
    (select * from outbox_job where ended_at is null order by id limit $1)
    union all
    (select * from outbox_job where ended_at is not null order by id desc limit $1)) j
order by ended_at is not null, case when ended_at is null then id else -id end
limit $1
