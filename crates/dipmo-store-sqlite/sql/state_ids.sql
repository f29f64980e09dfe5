-- Some instances that stand in a state.
SELECT ID FROM {table} WHERE STATE = ?1 LIMIT ?2
