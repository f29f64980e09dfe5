-- The files of a lot that is aside are complete.
UPDATE dipmo_lot
   SET state = 'ARCHIVED', archived_at = ?2, directory = ?3, manifest = ?4, row_count = ?5, record_count = ?6,
       file_count = ?7, byte_count = ?8
 WHERE id = ?1 AND state = 'ASIDE'
