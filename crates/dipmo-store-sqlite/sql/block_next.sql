-- One block whose head ended.
SELECT queue, order_key FROM {box}_block WHERE released_to IS NOT NULL LIMIT 1
