-- Makes the lanes of destinations that were never used before.
insert into outbox_lane (destination, lane)
select destination, lane from unnest($1::varchar[]) as u (destination)
cross join generate_series(0, 63) as g (lane)
order by destination, lane
on conflict do nothing
