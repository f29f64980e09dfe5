-- Adds to an hour. One row at a time: there are no arrays here.
INSERT INTO dipmo_slo (hour, name, good, total) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (hour, name) DO UPDATE SET good = good + excluded.good, total = total + excluded.total
