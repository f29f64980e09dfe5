-- One block of the inbox whose head ended.
SELECT queue, order_key FROM inbox_block WHERE released_to IS NOT NULL AND released_to >= head_id LIMIT 1
