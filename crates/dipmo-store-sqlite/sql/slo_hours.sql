-- What was counted in the hours that end behind ?1.
SELECT hour, name, good, total FROM dipmo_slo WHERE hour > ?1 - 3600000000 ORDER BY hour, name
