-- Undoes the transaction.
rollback
