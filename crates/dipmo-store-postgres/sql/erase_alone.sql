-- Until the transaction ends nobody else erases, and nothing is stored once more: see replay_beside.
select pg_advisory_xact_lock(hashtext('dipmo erase'), hashtext(current_schema()))
