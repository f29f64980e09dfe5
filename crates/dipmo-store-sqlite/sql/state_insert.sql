-- Makes an instance; changes nothing when it is there already.
INSERT INTO {table} (ID, STATE, VERSION, CONTEXT, LAST_EVENT_VERSIONS, ATTEMPTS, LAST_EVENT_TS,
                     ERROR_CODE, ERROR_MESSAGE)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (ID) DO NOTHING
