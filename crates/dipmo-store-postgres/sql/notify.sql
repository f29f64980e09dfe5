-- Tells other instances that something became ready on these sides. The schema goes with it: two
-- dipmos in one database do not wake each other.
select pg_notify('dipmo_' || side, coalesce(current_schema(), '')) from unnest($1::text[]) as u (side)
