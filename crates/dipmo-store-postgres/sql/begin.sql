-- Opens the transaction of a batch.
begin
