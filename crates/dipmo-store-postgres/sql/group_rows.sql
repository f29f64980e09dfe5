-- What last failed alike, from $2 to before $1, and no more than a page looks through; compared and sorted as in
-- aside_rows.
select x.id, x.at
from (
    select e.id, e.logged_at as at from {box}_exception e
    where (e.fingerprint, e.id) < ({key}::int8, $1) and (e.fingerprint, e.id) >= ({key}::int8, $2)
      and e.fingerprint is not null and {also}
    order by e.fingerprint desc, e.id desc limit {most}) x
order by x.id desc
