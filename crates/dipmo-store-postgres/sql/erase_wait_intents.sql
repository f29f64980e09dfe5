-- Those of the intents $1 that have not ended, by how they stand and where they go.
select status, destination, count(*), min(id) from outbox
where id = any ($1::int8[]) and status <> 'DISPATCHED' and outcome is distinct from 'SKIPPED'
group by 1, 2 order by 1, 2
