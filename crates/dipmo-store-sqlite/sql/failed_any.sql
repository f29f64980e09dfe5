-- Whether anything failed that nobody has overtaken yet; mostly nothing did.
SELECT 1 FROM {box}_exception WHERE status = 'FAILED' AND overtaken_by IS NULL AND outcome IS NULL LIMIT 1
