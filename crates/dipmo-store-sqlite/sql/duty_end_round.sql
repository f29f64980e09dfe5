-- A round of a duty that is still ours has ended: who asked for one until ?3 has it.
UPDATE dipmo_duty SET trouble = ?4, asked_at = iif(asked_at <= ?3, NULL, asked_at) WHERE name = ?1 AND epoch = ?2
