-- The ids of a batch are a few kilobytes that do not repeat: to compress them costs more than to
-- write them, and reading them back would cost it again.
alter table inbox_ready set (toast_tuple_target = 8160);
alter table inbox_done set (toast_tuple_target = 8160);
alter table outbox_ready set (toast_tuple_target = 8160);
alter table outbox_done set (toast_tuple_target = 8160);
