-- An older version started: instances may come to states again that later definitions do not have.
UPDATE dipmo_definition SET settled = 0 WHERE process = ?1 AND generation > ?2 AND settled = 1
