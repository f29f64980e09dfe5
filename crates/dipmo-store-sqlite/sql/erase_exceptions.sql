-- Blanks what is told of failures of the messages or units ?1; ?2 stands there then, and codes stay.
UPDATE {box}_exception SET error_message = ?2
 WHERE id IN (SELECT value FROM json_each(?1)) AND error_message <> ?2
