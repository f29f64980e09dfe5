-- Whether anything failed that nobody has overtaken yet; mostly nothing did. The index has only those:
-- that of the status has all that ever failed.
SELECT 1 FROM {box}_exception INDEXED BY ix_{box}_exception_failed
 WHERE status = 'FAILED' AND overtaken_by IS NULL AND outcome IS NULL LIMIT 1
