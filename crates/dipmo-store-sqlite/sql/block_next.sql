-- One block whose head ended.
SELECT queue, order_key FROM {box}_block WHERE released_to IS NOT NULL AND released_to >= head_id LIMIT 1
