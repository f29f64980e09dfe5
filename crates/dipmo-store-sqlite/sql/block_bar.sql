-- Makes an order key wait for a message that cannot be decoded, or is decoded only now; what comes
-- before it may pass. A key that waits already waits for the earlier of the two while it would let this
-- one pass: its head was never met, or has ended.
INSERT INTO inbox_block (queue, order_key, lane, head_id, released_to) VALUES ('', ?1, ?2, ?3, ?3 - 1)
ON CONFLICT (queue, order_key) DO UPDATE SET head_id = excluded.head_id, released_to = excluded.released_to
WHERE inbox_block.released_to >= excluded.head_id
