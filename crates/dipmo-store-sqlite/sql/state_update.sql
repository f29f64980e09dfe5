-- Changes an instance, if it still has the VERSION that was read.
UPDATE {table}
   SET STATE = ?2, VERSION = ?3, CONTEXT = ?4, LAST_EVENT_VERSIONS = ?5, ATTEMPTS = ?6,
       LAST_EVENT_TS = ?7, ERROR_CODE = ?8, ERROR_MESSAGE = ?9
 WHERE ID = ?1 AND VERSION = ?10
