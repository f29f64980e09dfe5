-- What messages said when they came that were edited since, and who edited them last.
CREATE TABLE inbox_edit (
  id         INTEGER PRIMARY KEY,
  payload    TEXT,
  event_type TEXT,
  edits      INTEGER NOT NULL,
  edited_by  TEXT    NOT NULL,
  edited_at  INTEGER NOT NULL
) STRICT;
