-- Who spoke in which talk, of the turns stored after one. A document's "speaker" is its name and headings: not a person.
-- name: ask_people
SELECT DISTINCT t.speaker, s.conversation FROM turns t CROSS JOIN sessions s ON s.key = t.session
WHERE t.key > :after AND t.ns = :ns AND s.ns = :ns AND t.hidden = 0 AND s.conversation <> 'engramma:documents';

-- The last turn stored, and the last act done or undone: what is known of people is good until one of them changes.
-- name: ask_age
SELECT (SELECT coalesce(max(key), 0) FROM turns) AS turn,
  (SELECT coalesce(max(id), 0) + coalesce(max(undone_at), 0) FROM acts WHERE ns = :ns) AS act;

-- The turns of some segments, given as [conversation, session, index], and those around them, in order.
-- name: ask_around
SELECT k.key AS place, t.session, s.id AS session_id, t.position, t.id, t.speaker, t.said_at, t.text,
  t.position BETWEEN g.first AND g.last AS is_own
FROM json_each(:places) k
CROSS JOIN sessions s ON s.ns = :ns AND s.conversation = json_extract(k.value, '$[0]')
  AND s.id = json_extract(k.value, '$[1]')
CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key AND g.idx = json_extract(k.value, '$[2]')
CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key AND t.position BETWEEN g.first - :around AND g.last + :after
WHERE t.hidden = 0 ORDER BY k.key, t.position;

-- The mails of some threads, in order.
-- name: ask_threads
SELECT s.conversation, s.id AS session_id, t.position, t.id, t.speaker, t.said_at, t.text, FALSE AS is_own
FROM json_each(:threads) k
CROSS JOIN sessions s ON s.ns = :ns AND s.conversation = k.value
CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key
WHERE t.hidden = 0 ORDER BY k.key, t.said_at, t.position;

-- What was said in some turns, given as [conversation, session, id].
-- name: ask_turns
SELECT k.key AS place, t.speaker, t.said_at, t.text, c.title FROM json_each(:places) k
CROSS JOIN sessions s ON s.ns = :ns AND s.conversation = json_extract(k.value, '$[0]')
  AND s.id = json_extract(k.value, '$[1]')
CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key AND t.id = json_extract(k.value, '$[2]')
LEFT JOIN conversations c ON c.ns = :ns AND c.id = s.conversation
WHERE t.hidden = 0;
