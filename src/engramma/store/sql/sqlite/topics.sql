-- ---- topics ----

-- Apart from each other because a topic's id is a number; other :ids are texts, as dialect.py has it.
-- name: topics_keep
DELETE FROM topics WHERE ns = :ns AND id NOT IN (SELECT value FROM json_each(:ids));
