-- Makes sure that groups of failures are there. In the order of their fingerprints, so that two who name
-- the same new groups do not wait for each other in a circle.
insert into dipmo_failure_group (fingerprint, side, stage, code, pattern, sample_id)
select fingerprint, side, stage, code, pattern, sample_id
from unnest($1::int8[], $2::varchar[], $3::varchar[], $4::varchar[], $5::varchar[], $6::int8[])
    as u (fingerprint, side, stage, code, pattern, sample_id)
order by fingerprint
on conflict (fingerprint) do nothing
