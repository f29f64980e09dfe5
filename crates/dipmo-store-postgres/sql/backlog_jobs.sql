-- Jobs that have not ended, by destination, and when the oldest of them began.
select destination, count(*), min(created_at) from outbox_job where ended_at is null group by destination
