-- An id of a log from which on nothing came before a time, found by halving. Ids grow with time, but for how long a
-- transaction takes to get its own: $1 is so much later than the time that is wanted.
with recursive search (low, high) as (
    select coalesce(min(id), 0), coalesce(max(id), 0) + 1 from {log} l
    union all
    select case when s.late then s.low else s.middle end, case when s.late then s.middle else s.high end
    from (
        select m.low, m.high, m.middle,
            coalesce((select l.{at} from {log} l where l.id >= m.middle order by l.id limit 1) >= $1, true) as late
        from (select low, high, low + (high - low) / 2 as middle from search where high - low > 1000) m) s)
select min(high) from search
