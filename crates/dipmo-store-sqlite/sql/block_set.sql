-- Makes an order key wait for a head; a head that was there before is replaced.
INSERT INTO {box}_block (queue, order_key, lane, head_id) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (queue, order_key) DO UPDATE SET head_id = excluded.head_id, released_to = NULL
