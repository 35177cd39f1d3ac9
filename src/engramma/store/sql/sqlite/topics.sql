-- ---- topics ----

-- name: topic_member_delete
DELETE FROM topic_members WHERE ns = :ns AND key = :key;
