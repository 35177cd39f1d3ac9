-- ---- turns ----

-- Turns with one of these ids in other sessions of a conversation, those that were going on in this span of time.
-- name: turns_elsewhere
SELECT t.id, t.speaker, t.said_at, t.text, t.role, t.meta FROM sessions s
CROSS JOIN json_each(:ids) k
CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key AND t.id = k.value
WHERE s.ns = :ns AND s.conversation = :conversation AND s.id != :session
  AND s.started_at <= :until AND s.last_at >= :since;

-- name: speakers_of_sessions
SELECT DISTINCT t.session, t.speaker FROM json_each(:sessions) k
CROSS JOIN turns t ON t.ns = :ns AND t.session = k.value;
