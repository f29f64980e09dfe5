-- The lot that is on its way.
SELECT id FROM dipmo_lot WHERE state <> 'DROPPED'
