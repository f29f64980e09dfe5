-- The unit that an operator had sent a second time by this intent.
ALTER TABLE outbox_log ADD COLUMN resend_of INTEGER;
