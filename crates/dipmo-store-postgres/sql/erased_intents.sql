-- Those of the intents $1 that are of an aggregate that was erased after they were written, or that a message of one caused.
select o.id from outbox_log o
where o.id = any ($1::int8[])
  and exists (
      select from dipmo_erased e
      where o.created_at <= e.erased_at
        and (e.aggregate_id = o.aggregate_id
             or e.aggregate_id in (select m.aggregate_id from inbox_log m where m.id = o.cause_id)))
