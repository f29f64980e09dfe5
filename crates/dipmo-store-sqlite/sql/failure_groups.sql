-- Groups in which something counts, those with the newest failures first.
SELECT fingerprint, side, stage, code, pattern, failed, retrying, first_seen, last_seen, sample_id
  FROM dipmo_failure_group
 WHERE failed + retrying > 0 ORDER BY last_seen DESC, fingerprint LIMIT ?1
