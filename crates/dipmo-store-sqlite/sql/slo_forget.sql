-- Forgets hours that began before ?1.
DELETE FROM dipmo_slo WHERE hour < ?1
