-- Begins an operation; its items follow.
insert into dipmo_operation (act, side, forced, per_second, actor, reason, items)
values ($1::varchar, $2::varchar, $3::bool, $4::int4, $5::varchar, $6::varchar, 0)
returning id
