-- Holds a duty until the transaction ends, and fails unless the lease of it is still ours.
select dipmo_assert(count(*) = 1, 'fenced', 'the duty ' || $1::varchar)
from (select from dipmo_duty where name = $1::varchar and epoch = $2 for no key update) held
