-- The chunks of a lane in the order of their first ids, and how large they are. The reader stops
-- when it has enough: nothing is sorted or counted in advance.
SELECT chunk, count(*) FROM {box}_ready WHERE queue = ?1 AND lane = ?2 GROUP BY chunk ORDER BY chunk
