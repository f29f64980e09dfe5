-- A lot that has nothing was none.
delete from dipmo_lot where id = $1
