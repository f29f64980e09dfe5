-- Puts up to $1 notes together, into the rows of their groups; answers how many. Notes that another one puts
-- together right now are passed over, and groups are locked in order, so that two do not deadlock. The sums
-- are added to what the row holds by then, and an older note does not take the place of a newer sample.
with taken as materialized (
    select id from dipmo_failure_note order by id limit $1 for update skip locked),
gone as (
    delete from dipmo_failure_note where id = any (array(select id from taken))
    returning id, fingerprint, failed, retrying, sample_id, noted_at),
sums as materialized (
    select fingerprint, sum(failed) as failed, sum(retrying) as retrying,
        max(noted_at) filter (where sample_id is not null) as last_seen,
        (array_agg(sample_id order by noted_at desc, id desc) filter (where sample_id is not null))[1] as sample_id
    from gone group by fingerprint),
locked as materialized (
    select g.fingerprint from sums s join dipmo_failure_group g on g.fingerprint = s.fingerprint
    order by g.fingerprint
    for no key update of g),
folded as (
    update dipmo_failure_group g
    set failed = g.failed + s.failed, retrying = g.retrying + s.retrying,
        last_seen = greatest(g.last_seen, s.last_seen),
        sample_id = case when s.last_seen >= g.last_seen then s.sample_id else g.sample_id end
    from sums s join locked l on l.fingerprint = s.fingerprint
    where g.fingerprint = s.fingerprint)
select count(*) from gone
