-- Gives a lease back that is still ours; when it ended says whose turn it is next.
UPDATE outbox_lane SET owner = NULL, lease_until = ?5
 WHERE destination = ?1 AND lane = ?2 AND owner = ?3 AND epoch = ?4
