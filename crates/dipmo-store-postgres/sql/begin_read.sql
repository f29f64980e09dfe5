-- Opens a transaction whose reads all see the same moment.
begin isolation level repeatable read read only
