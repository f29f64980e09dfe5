-- Holds an operation until the transaction ends, and fails unless it runs and the lease of it is still ours.
-- Whoever pauses or cancels it waits for that, and nothing is done after they have.
select dipmo_assert(count(*) = 1, 'fenced', 'the lease of operation ' || $1::int8)
from (
    select from dipmo_operation where id = $1 and epoch = $2 and state = 'RUNNING'
    for no key update) held
