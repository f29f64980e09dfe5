-- The epoch of a lane; it cannot change before the transaction ends.
SELECT epoch FROM outbox_lane WHERE destination = ?1 AND lane = ?2
