-- The oldest message that is ready: the first chunk of each lane is named by its first id.
WITH RECURSIVE lanes (lane) AS (SELECT 0 UNION ALL SELECT lane + 1 FROM lanes WHERE lane < ?1 - 1)
SELECT min((SELECT min(r.chunk) FROM inbox_ready r WHERE r.queue = '' AND r.lane = lanes.lane)) FROM lanes
