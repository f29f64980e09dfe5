-- Makes an order key wait for a head. A key that waits already waits for the earlier of the two,
-- unless its head has ended: then for this one.
INSERT INTO {box}_block (queue, order_key, lane, head_id) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (queue, order_key) DO UPDATE SET
    head_id = CASE WHEN released_to >= head_id THEN excluded.head_id
                   ELSE min(head_id, excluded.head_id) END,
    released_to = NULL
