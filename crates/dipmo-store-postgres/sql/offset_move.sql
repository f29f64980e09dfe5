-- Moves next offsets on, or refuses all of it when a partition stands before the beginning of its
-- range or is not there: then this database has lost something, and going on would hide it.
-- The rows are locked first, in order, so that what is compared is what the last writer committed.
with given as (
    select * from unnest($1::varchar[], $2::varchar[], $3::int4[], $4::uuid[], $5::int8[], $6::int8[])
        as u (consumer_group, topic, partition_num, topic_id, from_offset, next_offset)
), held as (
    select consumer_group, topic, partition_num, g.topic_id, g.next_offset, o.next_offset as stored,
        o.next_offset >= g.from_offset as reaches, (o.topic_id = g.topic_id) is not false as same_topic
    from given g join inbox_offset o using (consumer_group, topic, partition_num)
    order by consumer_group, topic, partition_num
    for no key update of o
), moved as (
    update inbox_offset o set
        topic_id = coalesce(o.topic_id, h.topic_id),
        next_offset = greatest(o.next_offset, h.next_offset),
        updated_at = now()
    from held h
    where (o.consumer_group, o.topic, o.partition_num) = (h.consumer_group, h.topic, h.partition_num)
      and h.reaches and h.same_topic
    returning 1
)
select dipmo_assert(count(*) = cardinality($1::varchar[]), 'behind', (
    select string_agg(format('%s[%s]: %s was next, the database has %s', topic, partition_num, from_offset,
            case when reaches then 'another topic of this name' else coalesce(stored::text, 'nothing') end),
        '; ' order by topic, partition_num)
    from given left join held using (consumer_group, topic, partition_num)
    where (reaches and same_topic) is not true))
from moved
