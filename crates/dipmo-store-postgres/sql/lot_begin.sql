-- Begins a lot.
insert into dipmo_lot (side, month, state) values ($1::varchar, $2::timestamptz, $3::varchar) returning id
