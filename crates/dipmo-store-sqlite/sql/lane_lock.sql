-- Up to ?3 lanes of the inbox with something to do, looked for from ?2 on and around; ?4 is the
-- number of lanes.
-- Differs from PostgreSQL because BEGIN IMMEDIATE has locked the whole database: nothing is locked
-- here and nobody is passed over. A probe for each lane is cheaper than to collect the lanes of all
-- that is ready.
WITH RECURSIVE place (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM place WHERE n + 1 < ?4),
lanes (n, lane) AS (SELECT n, (n + ?2) % ?4 FROM place)
SELECT lane FROM lanes
 WHERE EXISTS (SELECT 1 FROM inbox_ready r WHERE r.queue = '' AND r.lane = lanes.lane)
    OR EXISTS (SELECT 1 FROM inbox_exception e
                WHERE e.queue = '' AND e.lane = lanes.lane AND e.next_attempt_at <= ?1)
 ORDER BY n LIMIT ?3
