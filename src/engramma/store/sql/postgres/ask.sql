-- Who spoke in which talk, of the turns stored after one. A document's "speaker" is its name and headings: not a person.
-- name: ask_people
SELECT t.speaker, s.conversation FROM turns t JOIN sessions s ON s.ns = %(ns)s AND s.key = t.session
WHERE t.key > %(after)s AND t.ns = %(ns)s AND t.hidden = 0 AND s.conversation <> 'engramma:documents'
GROUP BY t.speaker, s.conversation ORDER BY min(t.key);

-- The last turn stored, and the last act done or undone: what is known of people is good until one of them changes.
-- name: ask_age
SELECT (SELECT coalesce(max(key), 0) FROM turns WHERE ns = %(ns)s) AS turn,
  (SELECT coalesce(max(id), 0) + coalesce(max(undone_at), 0) FROM acts WHERE ns = %(ns)s) AS act;

-- The turns of some segments, given as [conversation, session, index], and those around them, in order.
-- name: ask_around
SELECT k.place - 1 AS place, t.session, s.id AS session_id, t.position, t.id, t.speaker, t.said_at, t.text,
  t.position BETWEEN g.first AND g.last AS is_own
FROM json_array_elements(%(places)s::json) WITH ORDINALITY k(value, place)
JOIN sessions s ON s.ns = %(ns)s AND s.conversation = k.value ->> 0 AND s.id = k.value ->> 1
JOIN segments g ON g.ns = %(ns)s AND g.session = s.key AND g.idx = (k.value ->> 2)::bigint
JOIN turns t ON t.ns = %(ns)s AND t.session = s.key AND t.position BETWEEN g.first - %(around)s AND g.last + %(after)s
WHERE t.hidden = 0 ORDER BY k.place, t.position;

-- The mails of some threads, in order.
-- name: ask_threads
SELECT s.conversation, s.id AS session_id, t.position, t.id, t.speaker, t.said_at, t.text, FALSE AS is_own
FROM json_array_elements_text(%(threads)s::json) WITH ORDINALITY k(value, place)
JOIN sessions s ON s.ns = %(ns)s AND s.conversation = k.value
JOIN turns t ON t.ns = %(ns)s AND t.session = s.key
WHERE t.hidden = 0 ORDER BY k.place, t.said_at, t.position;

-- What was said in some turns, given as [conversation, session, id].
-- name: ask_turns
SELECT k.place - 1 AS place, t.speaker, t.said_at, t.text, c.title
FROM json_array_elements(%(places)s::json) WITH ORDINALITY k(value, place)
JOIN sessions s ON s.ns = %(ns)s AND s.conversation = k.value ->> 0 AND s.id = k.value ->> 1
JOIN turns t ON t.ns = %(ns)s AND t.session = s.key AND t.id = k.value ->> 2
LEFT JOIN conversations c ON c.ns = %(ns)s AND c.id = s.conversation
WHERE t.hidden = 0 ORDER BY k.place;
