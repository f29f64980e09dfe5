-- The oldest month that was restored and is held, or is to be restored.
select min(month) from dipmo_lot where restored_until > now() or wish = 'restore'
