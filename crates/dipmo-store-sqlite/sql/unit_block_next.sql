-- One block whose head ended; not in a lane that a job holds, where nothing is let go.
SELECT b.queue, b.order_key FROM outbox_block b
 WHERE b.released_to IS NOT NULL AND b.released_to >= b.head_id
   AND NOT EXISTS (SELECT 1 FROM outbox_lane l
                    WHERE l.destination = b.queue AND l.lane = b.lane AND l.job_id IS NOT NULL)
 LIMIT 1
