-- ---- conversations and sessions ----

-- name: conversation_put
INSERT INTO conversations AS c (ns, id, title, source) VALUES (:ns, :id, :title, :source)
ON CONFLICT (ns, id) DO UPDATE SET title = coalesce(excluded.title, c.title), source = coalesce(excluded.source, c.source);

-- name: conversation_get
SELECT id, title, source FROM conversations WHERE ns = :ns AND id = :id;

-- name: conversations
SELECT id, title, source FROM conversations WHERE ns = :ns ORDER BY id;

-- Conversations by a piece of what they are called, unless all of their talk is forgotten.
-- name: titles_with
SELECT c.id, c.title FROM conversations c WHERE c.ns = :ns AND c.title IS NOT NULL
  AND (instr(lower(c.title), :piece) > 0 OR instr(c.title, :capital) > 0 OR instr(c.title, :upper) > 0)
  AND EXISTS (SELECT 1 FROM sessions s WHERE s.ns = :ns AND s.conversation = c.id AND s.visible > 0)
ORDER BY c.id LIMIT :most;

-- name: session_add
INSERT INTO sessions (ns, conversation, id, started_at, last_at, captured_at)
VALUES (:ns, :conversation, :id, :started_at, :started_at, :captured_at);

-- name: session_get
SELECT key, conversation, id, started_at, last_at, closed, linked, archived
FROM sessions WHERE ns = :ns AND conversation = :conversation AND id = :id;

-- name: sessions_named
SELECT key FROM sessions WHERE ns = :ns AND (id = :id OR conversation || '/' || id = :id)
  AND (:conversation IS NULL OR conversation = :conversation);

-- name: sessions_listed
SELECT s.key, s.conversation, s.id, s.started_at, s.last_at, s.closed, s.linked, s.archived, s.visible,
  (SELECT count(*) FROM turns t WHERE t.ns = :ns AND t.session = s.key) AS turns,
  (SELECT count(*) FROM segments g WHERE g.ns = :ns AND g.session = s.key AND g.state < 4) AS segments, c.title, c.source
FROM sessions s LEFT JOIN conversations c ON c.ns = :ns AND c.id = s.conversation WHERE s.ns = :ns AND (:conversation IS NULL OR s.conversation = :conversation)
ORDER BY s.started_at, s.conversation, s.id;

-- Where segments with a short handle may stand: a note has none, and there may be a million of them.
-- name: session_names
SELECT conversation, id FROM sessions WHERE ns = :ns AND conversation <> 'engramma:notes';

-- name: sessions_of_conversation
SELECT key, conversation, id, started_at, last_at, closed, linked, archived
FROM sessions WHERE ns = :ns AND conversation = :conversation ORDER BY started_at, id;

-- name: sessions_pending
SELECT key, conversation, id, started_at, last_at, closed, linked, archived
FROM sessions WHERE ns = :ns AND (closed = 0 OR linked = 0 OR archived = 0) ORDER BY started_at, conversation, id;

-- Closed sessions whose text file is to be written.
-- name: sessions_due
SELECT key, conversation, id, started_at, last_at, closed, linked, archived
FROM sessions WHERE ns = :ns AND (closed = 0 OR linked = 0 OR archived = 0) AND closed = 1 AND archived = 0
ORDER BY key LIMIT :limit;

-- name: last_said
SELECT max(last_at) FROM sessions WHERE ns = :ns;

-- name: session_touch
UPDATE sessions SET last_at = max(last_at, :last_at), closed = :closed, linked = :linked, archived = 0
WHERE ns = :ns AND key = :key;

-- name: session_linked
UPDATE sessions SET closed = 1, linked = 1 WHERE ns = :ns AND key = :key;

-- Some of its segments are to be linked anew.
-- name: session_unlinked
UPDATE sessions SET linked = 0 WHERE ns = :ns AND key = :key;

-- name: sessions_archived
UPDATE sessions SET archived = 1 WHERE ns = :ns AND closed = 1 AND archived = 0;

-- name: session_archived
UPDATE sessions SET archived = 1 WHERE ns = :ns AND key = :key AND closed = 1
  AND (SELECT count(*) FROM turns WHERE ns = :ns AND session = :key AND hidden = 0) = :turns;

-- ---- turns ----

-- name: turn_add
INSERT INTO turns (ns, session, position, id, speaker, role, said_at, text, meta)
VALUES (:ns, :session, :position, :id, :speaker, :role, :said_at, :text, :meta);

-- name: turns_of_session
SELECT key, position, id, speaker, role, said_at, text, hidden, meta FROM turns WHERE ns = :ns AND session = :session ORDER BY position;

-- Visible turns of the sessions whose ids lie in a span, in the order in which they were stored.
-- name: turns_under
SELECT s.id AS session, t.id, t.speaker, t.role, t.said_at, t.text, t.meta
FROM sessions s CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key
WHERE s.ns = :ns AND s.conversation = :conversation AND s.id >= :low AND s.id < :high AND t.hidden = 0 ORDER BY t.key;

-- name: turn_count
SELECT count(*) FROM turns WHERE ns = :ns AND session = :session;
