-- Makes the transaction durable.
commit
