-- ---- segments and their vectors ----

-- name: segment_add
INSERT INTO segments (ns, session, idx, kind, first, last, said_at, tie)
VALUES (%(ns)s, %(session)s, %(idx)s, %(kind)s, %(first)s, %(last)s, %(said_at)s, %(tie)s) RETURNING key, idx;

-- name: segment_delete
DELETE FROM segments WHERE ns = %(ns)s AND key = %(key)s;

-- name: segments_of_session
SELECT key, idx, kind, first, last, said_at, tie FROM segments WHERE ns = %(ns)s AND session = %(session)s ORDER BY idx;

-- name: segment_key
SELECT g.key FROM sessions s JOIN segments g ON g.ns = %(ns)s AND g.session = s.key
WHERE g.ns = %(ns)s AND s.ns = %(ns)s AND s.conversation = %(conversation)s AND s.id = %(session)s AND g.idx = %(idx)s;

-- name: segments_by_keys
SELECT g.key, g.session, g.idx, g.kind, g.first, g.last, g.said_at, g.tie, g.state,
  s.conversation, s.id AS session_id, s.started_at, s.linked
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN segments g ON g.ns = %(ns)s AND g.key = k.value JOIN sessions s ON s.ns = %(ns)s AND s.key = g.session
WHERE g.ns = %(ns)s
ORDER BY k.place;

-- What was said in some segments; `captured` is where in its meta a turn says that it came through the proxy, or 0.
-- name: turns_by_segments
SELECT g.key, g.kind, t.id, t.speaker, t.said_at, t.text, coalesce(strpos(t.meta, '"via": "proxy"'), 0) AS captured
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN segments g ON g.ns = %(ns)s AND g.key = k.value
JOIN turns t ON t.ns = %(ns)s AND t.session = g.session AND t.position BETWEEN g.first AND g.last
WHERE g.ns = %(ns)s AND t.hidden = 0 ORDER BY g.key, t.position;

-- name: keys_of_sessions
SELECT key FROM segments WHERE ns = %(ns)s AND session = ANY(%(sessions)s::bigint[]) ORDER BY key;

-- Segments that are not in the graph yet: their session is open, or closes just now.
-- name: keys_unlinked
SELECT g.key FROM sessions s JOIN segments g ON g.ns = %(ns)s AND g.session = s.key
LEFT JOIN near n ON n.ns = %(ns)s AND n.key = g.key
WHERE s.ns = %(ns)s AND s.linked = 0 AND (s.closed = 0 OR s.linked = 0 OR s.archived = 0) AND n.key IS NULL ORDER BY g.key;

-- Segments that wait for their vectors: they were stored while the embedder was away. What is forgotten waits for nothing.
-- name: keys_waiting
SELECT g.key FROM sessions s JOIN segments g ON g.ns = %(ns)s AND g.session = s.key
LEFT JOIN embeddings e ON e.ns = %(ns)s AND e.key = g.key
WHERE s.ns = %(ns)s AND s.linked = 0 AND (s.closed = 0 OR s.linked = 0 OR s.archived = 0) AND e.key IS NULL AND g.state <= %(most)s ORDER BY g.key;

-- The first of them, with what is to be known to embed them.
-- name: segments_waiting
SELECT g.key, g.session, g.kind, g.state, s.archived FROM sessions s JOIN segments g ON g.ns = %(ns)s AND g.session = s.key
LEFT JOIN embeddings e ON e.ns = %(ns)s AND e.key = g.key
WHERE s.ns = %(ns)s AND s.linked = 0 AND (s.closed = 0 OR s.linked = 0 OR s.archived = 0) AND e.key IS NULL AND g.state < 4
  AND g.key > %(after)s ORDER BY g.key LIMIT nullif(%(limit)s::bigint, -1);

-- name: keys_of_conversation
SELECT g.key FROM sessions s JOIN segments g ON g.ns = %(ns)s AND g.session = s.key
WHERE s.ns = %(ns)s AND s.conversation = %(conversation)s ORDER BY g.key;

-- name: keys_all
SELECT g.key FROM sessions s JOIN segments g ON g.ns = %(ns)s AND g.session = s.key
WHERE s.ns = %(ns)s ORDER BY s.started_at, s.conversation, s.id, g.idx;

-- The segments up to :reach steps before and after some, in their sessions, with themselves.
-- name: segments_around
SELECT DISTINCT b.key, b.session, b.idx, b.tie, b.said_at, b.kind = 'exchange' AS is_exchange, s.conversation
FROM unnest(%(keys)s::bigint[]) k(value) JOIN segments a ON a.ns = %(ns)s AND a.key = k.value
JOIN segments b ON b.ns = %(ns)s AND b.session = a.session AND b.idx BETWEEN a.idx - %(reach)s AND a.idx + %(reach)s
JOIN sessions s ON s.ns = %(ns)s AND s.key = b.session ORDER BY b.key;

-- The segments with the smallest tie: a sample that depends on what is stored, not on when it came.
-- name: segment_sample
SELECT key, session FROM segments WHERE ns = %(ns)s AND state = 0 ORDER BY tie, key LIMIT nullif(%(limit)s::bigint, -1);

-- name: embedding_add
INSERT INTO embeddings (ns, key, code, vector, embedding) VALUES (%(ns)s, %(key)s, %(code)s, %(vector)s, %(vector)s::vector);

-- name: embedding_delete
DELETE FROM embeddings WHERE ns = %(ns)s AND key = %(key)s;

-- name: embeddings_all
SELECT key, vector FROM embeddings
WHERE ns = %(ns)s AND key NOT IN (SELECT key FROM segments WHERE ns = %(ns)s AND state > 0) ORDER BY key;

-- name: embeddings_by_keys
SELECT e.key, e.vector, e.code FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN embeddings e ON e.ns = %(ns)s AND e.key = k.value ORDER BY e.key;

-- name: segment_state
UPDATE segments SET state = %(state)s::bigint, moved_at = CASE WHEN %(state)s = 0 THEN NULL ELSE %(at)s::bigint END WHERE ns = %(ns)s AND key = %(key)s;

-- name: segment_states
SELECT key, state FROM segments WHERE ns = %(ns)s;

-- name: states_by_keys
SELECT g.key, g.state FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN segments g ON g.ns = %(ns)s AND g.key = k.value WHERE g.ns = %(ns)s
ORDER BY k.place;

-- name: keys_in_state
SELECT key FROM segments WHERE ns = %(ns)s AND state > 0 AND state = %(state)s ORDER BY key;

-- What was laid aside and still can be looked at: archived, or retired after a moment that is asked about.
-- name: keys_apart
SELECT key FROM segments WHERE ns = %(ns)s AND state > 0
  AND ((state = 1 AND (%(archived)s <> 0 OR moved_at > %(since)s)) OR (state = 2 AND moved_at > %(since)s)) ORDER BY key;

-- A note that the steward made of others carries their time;
-- name: keys_in_view
SELECT g.key FROM segments g WHERE g.ns = %(ns)s AND (%(until)s::bigint IS NULL OR g.said_at <= %(until)s)
  AND (g.state = 0 OR (g.state = 1 AND (%(archived)s <> 0 OR g.moved_at > %(since)s)) OR (g.state = 2 AND g.moved_at > %(since)s))
  AND (%(until)s::bigint IS NULL OR g.kind <> 'note' OR NOT EXISTS (
    SELECT 1 FROM links l WHERE l.ns = %(ns)s AND l.src = g.key AND l.kind = 'supersedes' AND l.label = 'source' AND l.made_at > %(until)s
  )) ORDER BY g.key;
