-- Blanks what the messages ?1 said before they were edited; ?2 stands there then.
UPDATE inbox_edit SET payload = ?2
 WHERE id IN (SELECT value FROM json_each(?1)) AND payload IS NOT ?2
