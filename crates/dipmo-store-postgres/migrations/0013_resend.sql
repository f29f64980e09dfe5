-- The unit that an operator had sent a second time by this intent.
alter table outbox_log add column resend_of bigint;
