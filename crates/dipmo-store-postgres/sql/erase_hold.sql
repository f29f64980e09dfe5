-- Keeps months where they are until the transaction ends: no lot is set aside between finding rows and blanking them.
lock table inbox_log, outbox_log in row exclusive mode
