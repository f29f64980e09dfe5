-- What is ready, or left the straight path and has one of some statuses, from $2 to before $1. A chunk is found by
-- its first id, and may reach over $2 from below: of each lane those that could are looked at too. Ids of a chunk lie
-- within a block of a thousand, so that no more chunks than that can.
select c.id, c.at from (
    select u.id, r.at
    from {box}_lane l
    cross join lateral (
        (select r.ids, r.logged_at as at from {box}_ready r
         where {of_lane} and r.id < $1 and r.id >= $2)
        union all
        (select r.ids, r.logged_at from {box}_ready r
         where {of_lane} and r.id < $2 order by r.id desc limit 1000)) r
    cross join lateral unnest(r.ids) as u (id)
    where u.id < $1 and u.id >= $2
    union all
    select a.id, a.at from ({aside}) a) c
order by c.id desc
