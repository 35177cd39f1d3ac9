-- ---- turns ----

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
