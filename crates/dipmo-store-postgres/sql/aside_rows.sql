-- What left the straight path and has one of some statuses, from $2 to before $1; of each status no more than a
-- page looks through. Status and id are compared and sorted as one: that is what the index is of, and no other.
select x.id, x.at
from unnest({key}::varchar[]) as s (status)
cross join lateral (
    select e.id, e.logged_at as at from {box}_exception e
    where (e.status, e.id) < (s.status, $1) and (e.status, e.id) >= (s.status, $2) and e.id > 0 and {also}
    order by e.status desc, e.id desc limit {most}) x
order by x.id desc
