-- About how many instances a process has: rows are numbered as they come, and seldom go.
SELECT coalesce(max(rowid), 0) FROM {table}
