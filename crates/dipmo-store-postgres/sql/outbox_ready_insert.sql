-- Makes units of this transaction ready: $5 says how many of the ids belong to each chunk.
insert into outbox_ready (destination, lane, id, records, logged_at, ids)
select c.destination, c.lane, ($4::int8[])[c.first], c.records, now(),
    ($4::int8[])[c.first : c.first + c.n - 1]
from (
    select destination, lane, records, n,
        (sum(n) over (order by o) - n + 1)::int4 as first
    from unnest($1::varchar[], $2::int2[], $3::bool[], $5::int4[]) with ordinality
        as u (destination, lane, records, n, o)) c
