-- Whether any message failed that nobody has overtaken yet; mostly none did.
select exists (select from inbox_exception where status = 'FAILED' and overtaken_by is null
    and outcome is null)
