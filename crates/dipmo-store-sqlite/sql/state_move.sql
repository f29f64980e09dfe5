-- Moves instances out of a state. A batch that has read them finds another VERSION.
UPDATE {table} SET STATE = ?2, VERSION = VERSION + 1 WHERE STATE = ?1
