-- ---- forgetting: which turns, hiding them, and taking them out for good ----

-- The turns of some segments.
-- name: turns_in_segments
SELECT t.key FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN segments g ON g.ns = %(ns)s AND g.key = k.value
JOIN turns t ON t.ns = %(ns)s AND t.session = g.session AND t.position BETWEEN g.first AND g.last
WHERE g.ns = %(ns)s ORDER BY t.key;

-- name: turns_by_place
SELECT t.key FROM sessions s JOIN turns t ON t.ns = %(ns)s AND t.session = s.key
WHERE s.ns = %(ns)s AND (%(conversation)s::text IS NULL OR s.conversation = %(conversation)s)
  AND (%(session)s::text IS NULL OR s.id = %(session)s)
  AND (%(speaker)s::text IS NULL OR t.speaker = %(speaker)s)
  AND (%(since)s::bigint IS NULL OR t.said_at >= %(since)s) AND (%(until)s::bigint IS NULL OR t.said_at < %(until)s) ORDER BY t.key;

-- name: turn_texts
SELECT key, text FROM turns WHERE ns = %(ns)s AND key > %(after)s ORDER BY key LIMIT nullif(%(limit)s::bigint, -1);

-- name: repeat_texts
SELECT key, id, text FROM repeats WHERE ns = %(ns)s AND hidden = 0;

-- name: turns_by_keys
SELECT t.key, t.session, t.position, t.id, t.speaker, t.role, t.said_at, t.text, t.hidden, t.meta,
  s.conversation, s.id AS session_id
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN turns t ON t.ns = %(ns)s AND t.key = k.value JOIN sessions s ON s.ns = %(ns)s AND s.key = t.session
WHERE t.ns = %(ns)s ORDER BY t.said_at, s.conversation, s.id, t.position;

-- The segments in which some turns lie, with all their turns.
-- name: segments_of_turns
WITH touched AS MATERIALIZED (
  SELECT DISTINCT g.key, g.session, g.state, g.first, g.last
  FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN turns t ON t.ns = %(ns)s AND t.key = k.value
  JOIN segments g ON g.ns = %(ns)s AND g.session = t.session AND t.position BETWEEN g.first AND g.last
  WHERE t.ns = %(ns)s
)
SELECT g.key, g.session, g.state, t.key AS turn, t.speaker, t.text, t.hidden
FROM touched g JOIN turns t ON t.ns = %(ns)s AND t.session = g.session AND t.position BETWEEN g.first AND g.last
ORDER BY g.key, t.position;

-- name: turns_with_id
SELECT t.key FROM sessions s JOIN turns t ON t.ns = %(ns)s AND t.session = s.key AND t.id = %(id)s
WHERE s.ns = %(ns)s AND (%(conversation)s::text IS NULL OR s.conversation = %(conversation)s) AND (%(session)s::text IS NULL OR s.id = %(session)s);

-- name: hidden_turns
SELECT key FROM turns WHERE ns = %(ns)s AND hidden > 0 ORDER BY key;

-- name: turn_hidden
UPDATE turns SET hidden = %(hidden)s WHERE ns = %(ns)s AND key = %(key)s;

-- name: hiding_add
INSERT INTO hidings (ns, turn, act) VALUES (%(ns)s, %(turn)s, %(act)s) ON CONFLICT (ns, turn, act) DO NOTHING;

-- name: hidings_of_act
SELECT turn AS key FROM hidings WHERE ns = %(ns)s AND act = %(act)s ORDER BY turn;

-- Turns that this act hides and no other.
-- name: hidden_by_act_alone
SELECT h.turn AS key FROM hidings h WHERE h.ns = %(ns)s AND h.act = %(act)s
  AND NOT EXISTS (SELECT 1 FROM hidings o WHERE o.ns = %(ns)s AND o.turn = h.turn AND o.act <> %(act)s) ORDER BY h.turn;

-- name: hidings_drop_act
DELETE FROM hidings WHERE ns = %(ns)s AND act = %(act)s;

-- name: hidings_drop_turn
DELETE FROM hidings WHERE ns = %(ns)s AND turn = %(key)s;

-- name: repeat_hidden
UPDATE repeats SET hidden = %(act)s WHERE ns = %(ns)s AND key = %(key)s AND id = %(id)s AND hidden = 0;

-- name: repeats_shown
UPDATE repeats SET hidden = 0 WHERE ns = %(ns)s AND hidden = %(act)s;

-- name: repeats_purge
DELETE FROM repeats WHERE ns = %(ns)s AND hidden = %(act)s;

-- name: sessions_of_turns
SELECT DISTINCT s.key, s.conversation, s.id, s.started_at, s.last_at, s.closed, s.linked, s.archived
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN turns t ON t.ns = %(ns)s AND t.key = k.value JOIN sessions s ON s.ns = %(ns)s AND s.key = t.session
WHERE t.ns = %(ns)s ORDER BY s.key;

-- name: session_by_key
SELECT key, conversation, id, started_at, last_at, closed, linked, archived FROM sessions WHERE ns = %(ns)s AND key = %(key)s;

-- ---- a session takes another shape ----

-- name: turn_delete
DELETE FROM turns WHERE ns = %(ns)s AND key = %(key)s;

-- Out of the way first: two turns never stand at one place, not even for a moment.
-- name: turns_lift
UPDATE turns SET position = -1 - position WHERE ns = %(ns)s AND session = %(session)s;

-- name: turn_place
UPDATE turns SET position = %(position)s WHERE ns = %(ns)s AND key = %(key)s;

-- name: segments_lift
UPDATE segments SET idx = -1 - idx WHERE ns = %(ns)s AND session = %(session)s;

-- name: segment_place
UPDATE segments SET idx = %(idx)s, first = %(first)s, last = %(last)s, tie = %(tie)s WHERE ns = %(ns)s AND key = %(key)s;

-- name: edges_drop_chain
DELETE FROM edges WHERE ns = %(ns)s AND src = %(key)s AND kind = 'chain';

-- name: edges_drop_semantic_out
DELETE FROM edges WHERE ns = %(ns)s AND src = %(key)s AND kind = 'semantic';

-- name: edges_drop_semantic_in
DELETE FROM edges WHERE ns = %(ns)s AND dst = %(key)s AND kind = 'semantic';

-- name: session_unarchived
UPDATE sessions SET archived = 0 WHERE ns = %(ns)s AND key = %(key)s;

-- name: session_delete
DELETE FROM sessions WHERE ns = %(ns)s AND key = %(key)s;

-- name: conversation_tidy
DELETE FROM conversations WHERE ns = %(ns)s AND id = %(id)s
  AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.ns = %(ns)s AND s.conversation = %(id)s);

-- name: conversation_untitle
UPDATE conversations SET title = NULL WHERE ns = %(ns)s AND id = %(id)s;

-- name: reindexed_delete
DELETE FROM reindexed WHERE ns = %(ns)s AND key = %(key)s;

-- ---- tombstones ----

-- name: tombstone_add
INSERT INTO tombstones (ns, hash) VALUES (%(ns)s, %(hash)s) ON CONFLICT (ns, hash) DO NOTHING;

-- name: tombstone_any
SELECT 1 FROM tombstones WHERE ns = %(ns)s LIMIT 1;

-- name: tombstones_among
SELECT t.hash FROM unnest(%(hashes)s::text[]) WITH ORDINALITY k(value, place) JOIN tombstones t ON t.ns = %(ns)s AND t.hash = k.value
ORDER BY k.place;

-- name: act_kind
UPDATE acts SET kind = %(kind)s WHERE ns = %(ns)s AND id = %(id)s;
