-- An instance has ended.
delete from dipmo_instance where name = $1
