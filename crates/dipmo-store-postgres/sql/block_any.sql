-- Whether any order key of these destinations waits for a head; mostly none does.
select exists (
    select from unnest($1::varchar[]) as u (queue)
    cross join lateral (select from outbox_block b where b.queue = u.queue limit 1) b)
