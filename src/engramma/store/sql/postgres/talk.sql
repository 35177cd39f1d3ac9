-- ---- conversations and sessions ----

-- name: conversation_put
INSERT INTO conversations AS c (ns, id, title, source) VALUES (%(ns)s, %(id)s, %(title)s, %(source)s)
ON CONFLICT (ns, id) DO UPDATE SET title = coalesce(excluded.title, c.title), source = coalesce(excluded.source, c.source);

-- name: conversation_get
SELECT id, title, source FROM conversations WHERE ns = %(ns)s AND id = %(id)s;

-- name: conversations
SELECT id, title, source FROM conversations WHERE ns = %(ns)s ORDER BY id;

-- name: session_add
INSERT INTO sessions (ns, conversation, id, started_at, last_at, captured_at)
VALUES (%(ns)s, %(conversation)s, %(id)s, %(started_at)s, %(started_at)s, %(captured_at)s);

-- name: session_get
SELECT key, conversation, id, started_at, last_at, closed, linked, archived
FROM sessions WHERE ns = %(ns)s AND conversation = %(conversation)s AND id = %(id)s;

-- name: sessions_named
SELECT key FROM sessions WHERE ns = %(ns)s AND (id = %(id)s OR conversation || '/' || id = %(id)s)
  AND (%(conversation)s::text IS NULL OR conversation = %(conversation)s);

-- name: sessions_listed
SELECT s.key, s.conversation, s.id, s.started_at, s.last_at, s.closed, s.linked, s.archived,
  (SELECT count(*) FROM turns t WHERE t.ns = %(ns)s AND t.session = s.key) AS turns,
  (SELECT count(*) FROM segments g WHERE g.ns = %(ns)s AND g.session = s.key) AS segments
FROM sessions s WHERE s.ns = %(ns)s AND (%(conversation)s::text IS NULL OR s.conversation = %(conversation)s)
ORDER BY s.started_at, s.conversation, s.id;

-- name: sessions_of_conversation
SELECT key, conversation, id, started_at, last_at, closed, linked, archived
FROM sessions WHERE ns = %(ns)s AND conversation = %(conversation)s ORDER BY started_at, id;

-- name: sessions_pending
SELECT key, conversation, id, started_at, last_at, closed, linked, archived
FROM sessions WHERE ns = %(ns)s AND (closed = 0 OR linked = 0 OR archived = 0) ORDER BY started_at, conversation, id;

-- Closed sessions whose text file is to be written.
-- name: sessions_due
SELECT key, conversation, id, started_at, last_at, closed, linked, archived
FROM sessions WHERE ns = %(ns)s AND (closed = 0 OR linked = 0 OR archived = 0) AND closed = 1 AND archived = 0
ORDER BY key LIMIT nullif(%(limit)s::bigint, -1);

-- name: last_said
SELECT max(last_at) FROM sessions WHERE ns = %(ns)s;

-- name: session_touch
UPDATE sessions SET last_at = greatest(last_at, %(last_at)s), closed = %(closed)s, linked = %(linked)s, archived = 0
WHERE ns = %(ns)s AND key = %(key)s;

-- name: session_linked
UPDATE sessions SET closed = 1, linked = 1 WHERE ns = %(ns)s AND key = %(key)s;

-- Some of its segments are to be linked anew.
-- name: session_unlinked
UPDATE sessions SET linked = 0 WHERE ns = %(ns)s AND key = %(key)s;

-- name: sessions_archived
UPDATE sessions SET archived = 1 WHERE ns = %(ns)s AND closed = 1 AND archived = 0;

-- name: session_archived
UPDATE sessions SET archived = 1 WHERE ns = %(ns)s AND key = %(key)s AND closed = 1
  AND (SELECT count(*) FROM turns WHERE ns = %(ns)s AND session = %(key)s AND hidden = 0) = %(turns)s;

-- ---- turns ----

-- name: turn_add
INSERT INTO turns (ns, session, position, id, speaker, role, said_at, text, meta)
VALUES (%(ns)s, %(session)s, %(position)s, %(id)s, %(speaker)s, %(role)s, %(said_at)s, %(text)s, %(meta)s);

-- name: turns_of_session
SELECT key, position, id, speaker, role, said_at, text, hidden, meta FROM turns WHERE ns = %(ns)s AND session = %(session)s ORDER BY position;

-- Visible turns of the sessions whose ids lie in a span, in the order in which they were stored.
-- name: turns_under
SELECT s.id AS session, t.id, t.speaker, t.role, t.said_at, t.text, t.meta
FROM sessions s JOIN turns t ON t.ns = %(ns)s AND t.session = s.key
WHERE s.ns = %(ns)s AND s.conversation = %(conversation)s AND s.id >= %(low)s AND s.id < %(high)s AND t.hidden = 0 ORDER BY t.key;

-- Turns with one of these ids in other sessions of a conversation, those that were going on in this span of time.
-- name: turns_elsewhere
SELECT t.id, t.speaker, t.said_at, t.text, t.role, t.meta FROM sessions s
CROSS JOIN unnest(%(ids)s::text[]) WITH ORDINALITY k(value, place)
JOIN turns t ON t.ns = %(ns)s AND t.session = s.key AND t.id = k.value
WHERE s.ns = %(ns)s AND s.conversation = %(conversation)s AND s.id != %(session)s
  AND s.started_at <= %(until)s AND s.last_at >= %(since)s ORDER BY s.key, k.place;

-- name: speakers_of_sessions
SELECT t.session, t.speaker FROM unnest(%(sessions)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN turns t ON t.ns = %(ns)s AND t.session = k.value GROUP BY t.session, t.speaker ORDER BY min(k.place), min(t.position);

-- name: turn_count
SELECT count(*) FROM turns WHERE ns = %(ns)s AND session = %(session)s;

-- Where the talk of some conversations comes from, if it is known.
-- name: conversation_sources
SELECT c.id, c.source FROM unnest(%(ids)s::text[]) WITH ORDINALITY k(value, place)
JOIN conversations c ON c.ns = %(ns)s AND c.id = k.value
WHERE c.source IS NOT NULL
ORDER BY k.place;

-- name: conversation_titles
SELECT c.id, c.title FROM unnest(%(ids)s::text[]) WITH ORDINALITY k(value, place)
JOIN conversations c ON c.ns = %(ns)s AND c.id = k.value
WHERE c.title IS NOT NULL
ORDER BY k.place;
