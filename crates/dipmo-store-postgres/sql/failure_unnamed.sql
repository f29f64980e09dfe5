-- Up to $1 messages or units whose failure is of no group yet: they failed before there were groups, or an
-- older version is still at work. Whoever changes one of them right now is not waited for.
select id, error_stage, error_code, error_message from {box}_exception
where fingerprint is null and error_code is not null and outcome is null
  and status not in ('PROCESSED', 'DISPATCHED')
order by id limit $1
for no key update skip locked
