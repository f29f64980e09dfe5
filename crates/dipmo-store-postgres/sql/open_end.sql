-- Where a page ends that looks through what is ready, and what left the straight path and has one of some statuses:
-- at the $3rd of them, or where of some lane no more chunks are known.
with met as (
    select c.id, c.at, c.units, c.cut
    from {box}_lane l
    cross join lateral (
        select r.id, r.at, r.units, row_number() over (order by r.id desc) = greatest(4, $3::int8 / 200) as cut
        from (
            select r.id, r.logged_at as at, cardinality(r.ids) as units from {box}_ready r
            where {of_lane} and r.id < $1 order by r.id desc limit greatest(4, $3::int8 / 200)) r) c
    union all
    select a.id, a.at, 1, false from ({aside}) a)
select m.id, m.at from (select id, at, cut, sum(units) over (order by id desc) as so_far from met) m
where m.cut or m.so_far >= $3 order by m.id desc limit 1
