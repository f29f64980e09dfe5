-- Takes a message or an intent out of the log.
DELETE FROM {box}_log WHERE id = ?1
