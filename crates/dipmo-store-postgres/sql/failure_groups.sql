-- Groups in which something counts, with what is noted and not yet put together, those with the newest
-- failures first.
select g.fingerprint, g.side, g.stage, g.code, g.pattern, c.failed, c.retrying, g.first_seen, c.last_seen,
    c.sample_id
from dipmo_failure_group g
left join (
    select fingerprint, sum(failed) as failed, sum(retrying) as retrying,
        max(noted_at) filter (where sample_id is not null) as last_seen,
        (array_agg(sample_id order by noted_at desc, id desc) filter (where sample_id is not null))[1] as sample_id
    from dipmo_failure_note group by fingerprint) n on n.fingerprint = g.fingerprint
cross join lateral (
    select g.failed + coalesce(n.failed, 0)::int8 as failed, g.retrying + coalesce(n.retrying, 0)::int8 as retrying,
        greatest(g.last_seen, n.last_seen) as last_seen,
        case when n.last_seen >= g.last_seen then n.sample_id else g.sample_id end as sample_id) c
where c.failed > 0 or c.retrying > 0
order by c.last_seen desc, g.fingerprint
limit $1
