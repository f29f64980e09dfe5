-- Prolongs a lease that is still ours.
UPDATE outbox_lane SET lease_until = ?5
 WHERE destination = ?1 AND lane = ?2 AND owner = ?3 AND epoch = ?4
