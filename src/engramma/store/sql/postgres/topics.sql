-- ---- topics ----

-- Apart from each other because a topic's id is a number; other :ids are texts, as dialect.py has it.
-- name: topics_keep
DELETE FROM topics WHERE ns = %(ns)s AND id <> ALL(%(ids)s::bigint[]);
