-- The oldest unit that is ready: the first chunk of each lane is named by its first id.
SELECT min((SELECT min(r.chunk) FROM outbox_ready r WHERE r.queue = n.destination AND r.lane = n.lane))
  FROM outbox_lane n
