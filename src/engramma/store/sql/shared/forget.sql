-- ---- forgetting: which turns, hiding them, and taking them out for good ----

-- The turns of some segments.
-- name: turns_in_segments
SELECT t.key FROM json_each(:keys) k CROSS JOIN segments g ON g.key = k.value
CROSS JOIN turns t ON t.ns = :ns AND t.session = g.session AND t.position BETWEEN g.first AND g.last
WHERE g.ns = :ns ORDER BY t.key;

-- Under which names something is stored, forgotten or not.
-- name: speakers_ever
SELECT DISTINCT speaker FROM turns WHERE ns = :ns ORDER BY speaker;

-- name: turns_by_place
SELECT t.key FROM sessions s CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key
WHERE s.ns = :ns AND (:conversation IS NULL OR s.conversation = :conversation)
  AND (:session IS NULL OR s.id = :session)
  AND (:speaker IS NULL OR t.speaker IN (SELECT value FROM json_each(:speaker)))
  AND (:since IS NULL OR t.said_at >= :since) AND (:until IS NULL OR t.said_at < :until) ORDER BY t.key;

-- name: turn_texts
SELECT key, text FROM turns WHERE ns = :ns AND key > :after ORDER BY key LIMIT :limit;

-- name: repeat_texts
SELECT key, id, text FROM repeats WHERE ns = :ns AND hidden = 0;

-- name: turns_by_keys
SELECT t.key, t.session, t.position, t.id, t.speaker, t.role, t.said_at, t.text, t.hidden, t.meta,
  s.conversation, s.id AS session_id
FROM json_each(:keys) k CROSS JOIN turns t ON t.key = k.value CROSS JOIN sessions s ON s.ns = :ns AND s.key = t.session
WHERE t.ns = :ns ORDER BY t.said_at, s.conversation, s.id, t.position;

-- The segments in which some turns lie, with all their turns.
-- name: segments_of_turns
WITH touched AS MATERIALIZED (
  SELECT DISTINCT g.key, g.session, g.state, g.first, g.last
  FROM json_each(:keys) k CROSS JOIN turns t ON t.key = k.value
  CROSS JOIN segments g ON g.ns = :ns AND g.session = t.session AND t.position BETWEEN g.first AND g.last
  WHERE t.ns = :ns
)
SELECT g.key, g.session, g.state, t.key AS turn, t.speaker, t.text, t.hidden
FROM touched g CROSS JOIN turns t ON t.ns = :ns AND t.session = g.session AND t.position BETWEEN g.first AND g.last
ORDER BY g.key, t.position;

-- name: turns_with_id
SELECT t.key FROM sessions s CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key AND t.id = :id
WHERE s.ns = :ns AND (:conversation IS NULL OR s.conversation = :conversation) AND (:session IS NULL OR s.id = :session);

-- name: hidden_turns
SELECT key FROM turns WHERE ns = :ns AND hidden > 0 ORDER BY key;

-- name: turn_hidden
UPDATE turns SET hidden = :hidden WHERE ns = :ns AND key = :key;

-- name: hiding_add
INSERT INTO hidings (ns, turn, act) VALUES (:ns, :turn, :act) ON CONFLICT (ns, turn, act) DO NOTHING;

-- name: hidings_of_act
SELECT turn AS key FROM hidings INDEXED BY hidings_of_act WHERE ns = :ns AND act = :act ORDER BY turn;

-- Turns that this act hides and no other.
-- name: hidden_by_act_alone
SELECT h.turn AS key FROM hidings h INDEXED BY hidings_of_act WHERE h.ns = :ns AND h.act = :act
  AND NOT EXISTS (SELECT 1 FROM hidings o WHERE o.ns = :ns AND o.turn = h.turn AND o.act <> :act) ORDER BY h.turn;

-- name: hidings_drop_act
DELETE FROM hidings WHERE ns = :ns AND act = :act;

-- name: hidings_drop_turn
DELETE FROM hidings WHERE ns = :ns AND turn = :key;

-- name: repeat_hidden
UPDATE repeats SET hidden = :act WHERE ns = :ns AND key = :key AND id = :id AND hidden = 0;

-- name: repeats_shown
UPDATE repeats SET hidden = 0 WHERE ns = :ns AND hidden = :act;

-- name: repeats_purge
DELETE FROM repeats WHERE ns = :ns AND hidden = :act;

-- name: sessions_of_turns
SELECT DISTINCT s.key, s.conversation, s.id, s.started_at, s.last_at, s.closed, s.linked, s.archived
FROM json_each(:keys) k CROSS JOIN turns t ON t.key = k.value CROSS JOIN sessions s ON s.ns = :ns AND s.key = t.session
WHERE t.ns = :ns ORDER BY s.key;

-- name: session_by_key
SELECT key, conversation, id, started_at, last_at, closed, linked, archived FROM sessions WHERE ns = :ns AND key = :key;

-- ---- a session takes another shape ----

-- name: turn_delete
DELETE FROM turns WHERE ns = :ns AND key = :key;

-- Out of the way first: two turns never stand at one place, not even for a moment.
-- name: turns_lift
UPDATE turns SET position = -1 - position WHERE ns = :ns AND session = :session;

-- name: turn_place
UPDATE turns SET position = :position WHERE ns = :ns AND key = :key;

-- name: segments_lift
UPDATE segments SET idx = -1 - idx WHERE ns = :ns AND session = :session;

-- name: segment_place
UPDATE segments SET idx = :idx, first = :first, last = :last, tie = :tie WHERE ns = :ns AND key = :key;

-- name: edges_drop_chain
DELETE FROM edges WHERE ns = :ns AND src = :key AND kind = 'chain';

-- name: edges_drop_semantic_out
DELETE FROM edges WHERE ns = :ns AND src = :key AND kind = 'semantic';

-- name: edges_drop_semantic_in
DELETE FROM edges INDEXED BY edges_in WHERE ns = :ns AND dst = :key AND kind = 'semantic';

-- name: session_unarchived
UPDATE sessions SET archived = 0 WHERE ns = :ns AND key = :key;

-- name: session_delete
DELETE FROM sessions WHERE ns = :ns AND key = :key;

-- name: conversation_tidy
DELETE FROM conversations WHERE ns = :ns AND id = :id
  AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.ns = :ns AND s.conversation = :id);

-- name: conversation_untitle
UPDATE conversations SET title = NULL WHERE ns = :ns AND id = :id;

-- name: reindexed_delete
DELETE FROM reindexed WHERE ns = :ns AND key = :key;

-- ---- tombstones ----

-- name: tombstone_add
INSERT INTO tombstones (ns, hash) VALUES (:ns, :hash) ON CONFLICT (ns, hash) DO NOTHING;

-- name: tombstone_any
SELECT 1 FROM tombstones WHERE ns = :ns LIMIT 1;

-- name: tombstones_among
SELECT t.hash FROM json_each(:hashes) k CROSS JOIN tombstones t ON t.ns = :ns AND t.hash = k.value;

-- name: act_kind
UPDATE acts SET kind = :kind WHERE ns = :ns AND id = :id;
