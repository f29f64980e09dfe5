-- The oldest month that was restored and is held at ?1, or is to be restored.
SELECT min(month) FROM (
  SELECT month FROM dipmo_lot WHERE restored_until IS NOT NULL AND restored_until > ?1
   UNION ALL
  SELECT month FROM dipmo_lot WHERE wish IS NOT NULL AND wish = 'restore')
