-- Says of which groups failures are that had none. Their rows are locked.
update {box}_exception e set fingerprint = u.fingerprint
from unnest($1::int8[], $2::int8[]) as u (id, fingerprint)
where e.id = u.id
