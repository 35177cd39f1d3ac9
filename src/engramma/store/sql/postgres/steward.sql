-- ---- what the steward looks at ----

-- The live notes among some segments, with all that decides about them. by_hand: a typed link that a person or an assistant drew.
-- name: steward_notes
SELECT n.key, s.id, g.tie, t.speaker, n.tags, n.strength, n.quality, n.made_at, n.expires_at,
  coalesce(u.hits, 0) AS hits, u.last_at,
  (SELECT count(*) FROM repeats r WHERE r.ns = %(ns)s AND r.key = n.key) AS repeats,
  EXISTS (SELECT 1 FROM links l WHERE l.ns = %(ns)s AND l.src = n.key AND l.author NOT IN ('auto-link', 'steward'))
  OR EXISTS (SELECT 1 FROM links l WHERE l.ns = %(ns)s AND l.dst = n.key AND l.author NOT IN ('auto-link', 'steward')) AS by_hand
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN notes n ON n.ns = %(ns)s AND n.key = k.value
JOIN segments g ON g.ns = %(ns)s AND g.key = n.key JOIN sessions s ON s.ns = %(ns)s AND s.key = g.session
JOIN turns t ON t.ns = %(ns)s AND t.session = g.session AND t.position = g.first
LEFT JOIN uses u ON u.ns = %(ns)s AND u.key = n.key
WHERE g.ns = %(ns)s AND g.state = 0 ORDER BY n.made_at, g.tie, n.key;

-- The most recalled note of all, also of those laid aside.
-- name: steward_most_hits
SELECT coalesce(max(u.hits), 0) FROM notes n JOIN uses u ON u.ns = %(ns)s AND u.key = n.key WHERE n.ns = %(ns)s;

-- Closed sessions in which nothing was said since, with their live segments.
-- name: steward_old_sessions
SELECT s.key, s.conversation, s.id, s.last_at, json_agg(g.key ORDER BY g.idx)::text AS keys, json_agg(g.idx ORDER BY g.idx)::text AS places
FROM sessions s JOIN segments g ON g.ns = %(ns)s AND g.session = s.key
WHERE s.ns = %(ns)s AND s.closed = 1 AND s.linked = 1 AND s.last_at < %(before)s AND g.state = 0
GROUP BY s.ns, s.key ORDER BY s.last_at, s.conversation, s.id;

-- name: keys_not_live
SELECT key FROM segments WHERE ns = %(ns)s AND state > 0 ORDER BY key;

-- ---- taking back what it did ----

-- What was counted as a repeat of one note, once more at another.
-- name: repeats_copy
INSERT INTO repeats (ns, key, id, speaker, said_at, text, source, session, similarity, hidden)
SELECT ns, %(to)s, id, speaker, said_at, text, source, session, similarity, hidden FROM repeats WHERE ns = %(ns)s AND key = %(key)s
ON CONFLICT (ns, key, id) DO NOTHING;

-- name: canonical_turns_delete
DELETE FROM turns WHERE ns = %(ns)s AND session = %(session)s;

-- name: canonical_session_delete
DELETE FROM sessions WHERE ns = %(ns)s AND key = %(session)s;
