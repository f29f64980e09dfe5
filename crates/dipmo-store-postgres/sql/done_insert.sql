-- One row for all that ended at the first attempt, with the same outcome, in this transaction.
insert into {box}_done (min_id, max_id, outcome, ids, refs)
select min(id), max(id), $1, $2::int8[], $3::varchar[] from unnest($2::int8[]) as u (id)
