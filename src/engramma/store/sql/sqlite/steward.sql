-- ---- what the steward looks at ----

-- Closed sessions in which nothing was said since, with their live segments.
-- name: steward_old_sessions
SELECT s.key, s.conversation, s.id, s.last_at, json_group_array(g.key) AS keys, json_group_array(g.idx) AS places
FROM sessions s CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key
WHERE s.ns = :ns AND s.closed = 1 AND s.linked = 1 AND s.last_at < :before AND g.state = 0
GROUP BY s.key ORDER BY s.last_at, s.conversation, s.id;
