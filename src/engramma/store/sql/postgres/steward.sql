-- ---- what the steward looks at ----

-- Closed sessions in which nothing was said since, with their live segments.
-- name: steward_old_sessions
SELECT s.key, s.conversation, s.id, s.last_at, json_agg(g.key ORDER BY g.idx)::text AS keys, json_agg(g.idx ORDER BY g.idx)::text AS places
FROM sessions s JOIN segments g ON g.ns = %(ns)s AND g.session = s.key
WHERE s.ns = %(ns)s AND s.closed = 1 AND s.linked = 1 AND s.last_at < %(before)s AND g.state = 0
GROUP BY s.ns, s.key ORDER BY s.last_at, s.conversation, s.id;
