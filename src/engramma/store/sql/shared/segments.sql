-- ---- segments and their vectors ----

-- name: segment_add
INSERT INTO segments (ns, session, idx, kind, first, last, said_at, tie)
VALUES (:ns, :session, :idx, :kind, :first, :last, :said_at, :tie) RETURNING key, idx;

-- name: segment_delete
DELETE FROM segments WHERE ns = :ns AND key = :key;

-- name: segments_of_session
SELECT key, idx, kind, first, last, said_at, tie FROM segments WHERE ns = :ns AND session = :session ORDER BY idx;

-- name: segment_key
SELECT g.key FROM sessions s CROSS JOIN segments g ON g.session = s.key
WHERE g.ns = :ns AND s.ns = :ns AND s.conversation = :conversation AND s.id = :session AND g.idx = :idx;

-- name: segments_by_keys
SELECT g.key, g.session, g.idx, g.kind, g.first, g.last, g.said_at, g.tie, g.state,
  s.conversation, s.id AS session_id, s.started_at, s.linked
FROM json_each(:keys) k CROSS JOIN segments g ON g.key = k.value CROSS JOIN sessions s ON s.ns = :ns AND s.key = g.session
WHERE g.ns = :ns;

-- What decides the place and the direction of some segments' edges.
-- name: nodes_by_keys
SELECT g.key, g.tie, g.session, s.started_at, s.conversation, s.id
FROM json_each(:keys) k CROSS JOIN segments g ON g.key = k.value CROSS JOIN sessions s ON s.ns = :ns AND s.key = g.session
WHERE g.ns = :ns;

-- What was said in some segments; `captured` is where in its meta a turn says that it came through the proxy, or 0.
-- name: turns_by_segments
SELECT g.key, g.kind, t.id, t.speaker, t.said_at, t.text, coalesce(instr(t.meta, '"via": "proxy"'), 0) AS captured
FROM json_each(:keys) k CROSS JOIN segments g ON g.key = k.value
CROSS JOIN turns t ON t.ns = :ns AND t.session = g.session AND t.position BETWEEN g.first AND g.last
WHERE g.ns = :ns AND t.hidden = 0 ORDER BY g.key, t.position;

-- Some segments with what was said in them, and what is known of their conversations: all that a recall shows of them.
-- name: segments_spoken
SELECT g.key, g.idx, g.kind, g.said_at AS began, s.conversation, s.id AS session_id, c.title, c.source,
  t.id, t.speaker, t.said_at, t.text, coalesce(instr(t.meta, '"via": "proxy"'), 0) AS captured
FROM json_each(:keys) k CROSS JOIN segments g ON g.key = k.value CROSS JOIN sessions s ON s.ns = :ns AND s.key = g.session
CROSS JOIN turns t ON t.ns = :ns AND t.session = g.session AND t.position BETWEEN g.first AND g.last
LEFT JOIN conversations c ON c.ns = :ns AND c.id = s.conversation
WHERE g.ns = :ns AND t.hidden = 0 ORDER BY g.key, t.position;

-- The words of some segments and who spoke them, without what else a turn has.
-- name: words_by_segments
SELECT g.key, t.speaker, t.text FROM json_each(:keys) k CROSS JOIN segments g ON g.key = k.value
CROSS JOIN turns t ON t.ns = :ns AND t.session = g.session AND t.position BETWEEN g.first AND g.last
WHERE g.ns = :ns AND t.hidden = 0 ORDER BY g.key, t.position;

-- name: keys_of_sessions
SELECT key FROM segments WHERE ns = :ns AND session IN (SELECT value FROM json_each(:sessions)) ORDER BY key;

-- Segments that are not in the graph yet: their session is open, or closes just now.
-- name: keys_unlinked
SELECT g.key FROM sessions s CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key
LEFT JOIN near n ON n.ns = :ns AND n.key = g.key
WHERE s.ns = :ns AND s.linked = 0 AND (s.closed = 0 OR s.linked = 0 OR s.archived = 0) AND n.key IS NULL ORDER BY g.key;

-- Segments that wait for their vectors: they were stored while the embedder was away. What is forgotten waits for nothing.
-- name: keys_waiting
SELECT g.key FROM sessions s CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key
LEFT JOIN embeddings e ON e.ns = :ns AND e.key = g.key
WHERE s.ns = :ns AND s.linked = 0 AND (s.closed = 0 OR s.linked = 0 OR s.archived = 0) AND e.key IS NULL AND g.state <= :most ORDER BY g.key;

-- The first of them, with what is to be known to embed them.
-- name: segments_waiting
SELECT g.key, g.session, g.kind, g.state, s.archived FROM sessions s CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key
LEFT JOIN embeddings e ON e.ns = :ns AND e.key = g.key
WHERE s.ns = :ns AND s.linked = 0 AND (s.closed = 0 OR s.linked = 0 OR s.archived = 0) AND e.key IS NULL AND g.state < 4
  AND g.key > :after ORDER BY g.key LIMIT :limit;

-- name: keys_of_conversations
SELECT g.key FROM sessions s CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key
WHERE s.ns = :ns AND s.conversation IN (SELECT value FROM json_each(:conversations)) ORDER BY g.key;

-- name: keys_all
SELECT g.key FROM sessions s CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key
WHERE s.ns = :ns ORDER BY s.started_at, s.conversation, s.id, g.idx;

-- The segments with the smallest tie: a sample that depends on what is stored, not on when it came.
-- name: segment_sample
SELECT key, session FROM segments INDEXED BY segments_by_tie WHERE ns = :ns AND state = 0 ORDER BY tie, key LIMIT :limit;

-- name: embedding_delete
DELETE FROM embeddings WHERE ns = :ns AND key = :key;

-- name: embeddings_all
SELECT key, vector FROM embeddings
WHERE ns = :ns AND key NOT IN (SELECT key FROM segments INDEXED BY segments_apart WHERE ns = :ns AND state > 0) ORDER BY key;

-- name: embeddings_by_keys
SELECT e.key, e.vector FROM json_each(:keys) k CROSS JOIN embeddings e ON e.ns = :ns AND e.key = k.value ORDER BY e.key;

-- name: segment_state
UPDATE segments SET state = CAST(:state AS INTEGER), moved_at = CASE WHEN :state = 0 THEN NULL ELSE CAST(:at AS INTEGER) END WHERE ns = :ns AND key = :key;

-- name: segment_states
SELECT key, state FROM segments WHERE ns = :ns;

-- name: states_by_keys
SELECT g.key, g.state FROM json_each(:keys) k CROSS JOIN segments g ON g.key = k.value WHERE g.ns = :ns;

-- What was laid aside and still can be looked at: archived, or retired after a moment that is asked about.
-- name: keys_apart
SELECT key FROM segments INDEXED BY segments_apart WHERE ns = :ns AND state > 0
  AND ((state = 1 AND (:archived <> 0 OR moved_at > :since)) OR (state = 2 AND moved_at > :since)) ORDER BY key;

-- A note that the steward made of others carries their time; before it was made it was not there.
-- name: keys_in_view
SELECT g.key FROM segments g WHERE g.ns = :ns AND (:until IS NULL OR g.said_at <= :until)
  AND (g.state = 0 OR (g.state = 1 AND (:archived <> 0 OR g.moved_at > :since)) OR (g.state = 2 AND g.moved_at > :since))
  AND (:until IS NULL OR g.kind <> 'note' OR NOT EXISTS (
    SELECT 1 FROM links l WHERE l.ns = :ns AND l.src = g.key AND l.kind = 'supersedes' AND l.label = 'source' AND l.made_at > :until
  )) ORDER BY g.key;

-- Where the segments of a namespace stand.
-- name: places_all
SELECT g.key, g.session, g.idx, g.tie, g.said_at, g.kind = 'exchange' AS is_exchange, s.conversation
FROM sessions s CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key WHERE s.ns = :ns;

-- name: places_of_sessions
SELECT g.key, g.session, g.idx, g.tie, g.said_at, g.kind = 'exchange' AS is_exchange, s.conversation
FROM json_each(:sessions) k CROSS JOIN sessions s ON s.ns = :ns AND s.key = k.value
CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key;

-- name: sessions_of_keys
SELECT DISTINCT g.session FROM json_each(:keys) k CROSS JOIN segments g ON g.key = k.value WHERE g.ns = :ns;
