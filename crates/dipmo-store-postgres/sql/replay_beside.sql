-- Until the transaction ends nothing is erased: what is stored once more was read before it.
select pg_advisory_xact_lock_shared(hashtext('dipmo erase'), hashtext(current_schema()))
