-- Makes an order key wait for a message that cannot be decoded, unless it waits already. What comes
-- before it may pass.
INSERT INTO inbox_block (queue, order_key, lane, head_id, released_to) VALUES ('', ?1, ?2, ?3, ?3 - 1)
ON CONFLICT (queue, order_key) DO NOTHING
