-- Makes a lane known that has something to deliver for the first time.
INSERT INTO outbox_lane (destination, lane, epoch) VALUES (?1, ?2, 0) ON CONFLICT DO NOTHING
