-- ---- what the dashboard shows ----

-- Turns a day, days counted from 1970.
-- name: activity
SELECT CAST(name AS INTEGER) AS day, count AS turns FROM tallies WHERE ns = %(ns)s AND kind = 'day' AND count > 0 ORDER BY day;

-- Where conversations come from.
-- name: browse_sources
SELECT source, count(*) AS conversations FROM conversations WHERE ns = %(ns)s AND source IS NOT NULL
GROUP BY source ORDER BY conversations DESC, source;

-- Sessions of talk in which something can be read, within bounds;
-- name: browse_sessions
SELECT p.key, p.conversation, p.id, p.started_at, p.last_at, p.closed, p.visible AS turns, c.title, c.source,
  (SELECT substr(t.text, 1, 240) FROM turns t WHERE t.ns = %(ns)s AND t.session = p.key AND t.hidden = 0
    ORDER BY t.position LIMIT 1) AS opening
FROM (
  SELECT s.key, s.conversation, s.id, s.started_at, s.last_at, s.closed, s.visible
  FROM sessions s WHERE s.ns = %(ns)s AND s.visible > 0 AND s.conversation <> 'engramma:notes'
    AND (%(conversation)s::text IS NULL OR s.conversation = %(conversation)s)
    AND (%(source)s::text IS NULL OR s.conversation IN (SELECT id FROM conversations WHERE ns = %(ns)s AND source = %(source)s))
    AND (%(since)s::bigint IS NULL OR s.last_at >= %(since)s) AND (%(until)s::bigint IS NULL OR s.started_at < %(until)s)
    AND (%(words)s::text IS NULL OR strpos(lower(s.conversation || ' ' || s.id || ' ' || coalesce(
      (SELECT c.title FROM conversations c WHERE c.ns = %(ns)s AND c.id = s.conversation), '')), lower(%(words)s COLLATE "C")) > 0)
    AND (%(speaker)s::text IS NULL OR s.key IN (SELECT t.session FROM turns t
      WHERE t.ns = %(ns)s AND t.speaker = %(speaker)s AND t.hidden = 0))
    AND (%(topic)s::bigint IS NULL OR s.key IN (SELECT g.session FROM topic_members m JOIN segments g ON g.ns = %(ns)s AND g.key = m.key
      WHERE m.ns = %(ns)s AND m.topic = %(topic)s AND g.ns = %(ns)s AND g.state = 0))
  ORDER BY s.last_at DESC, s.conversation, s.id LIMIT nullif(%(limit)s::bigint, -1) OFFSET %(offset)s
) p LEFT JOIN conversations c ON c.ns = %(ns)s AND c.id = p.conversation ORDER BY p.last_at DESC, p.conversation, p.id;

-- name: browse_sessions_count
SELECT count(*) FROM sessions s WHERE s.ns = %(ns)s AND s.visible > 0 AND s.conversation <> 'engramma:notes'
  AND (%(conversation)s::text IS NULL OR s.conversation = %(conversation)s)
  AND (%(source)s::text IS NULL OR s.conversation IN (SELECT id FROM conversations WHERE ns = %(ns)s AND source = %(source)s))
  AND (%(since)s::bigint IS NULL OR s.last_at >= %(since)s) AND (%(until)s::bigint IS NULL OR s.started_at < %(until)s)
  AND (%(words)s::text IS NULL OR strpos(lower(s.conversation || ' ' || s.id || ' ' || coalesce(
    (SELECT c.title FROM conversations c WHERE c.ns = %(ns)s AND c.id = s.conversation), '')), lower(%(words)s COLLATE "C")) > 0)
  AND (%(speaker)s::text IS NULL OR s.key IN (SELECT t.session FROM turns t
    WHERE t.ns = %(ns)s AND t.speaker = %(speaker)s AND t.hidden = 0))
  AND (%(topic)s::bigint IS NULL OR s.key IN (SELECT g.session FROM topic_members m JOIN segments g ON g.ns = %(ns)s AND g.key = m.key
    WHERE m.ns = %(ns)s AND m.topic = %(topic)s AND g.ns = %(ns)s AND g.state = 0));

-- A page of what was said in a session;
-- name: turns_page
SELECT position, id, speaker, role, said_at, substr(text, 1, %(most)s::int) AS text, length(text) AS size FROM turns
WHERE ns = %(ns)s AND session = %(session)s AND hidden = 0 ORDER BY position LIMIT nullif(%(limit)s::bigint, -1) OFFSET %(offset)s;

-- name: turns_visible
SELECT count(*) FROM turns WHERE ns = %(ns)s AND session = %(session)s AND hidden = 0;

-- How many visible turns come before one.
-- name: turn_offset
SELECT count(*) FROM turns WHERE ns = %(ns)s AND session = %(session)s AND hidden = 0
  AND position < (SELECT position FROM turns WHERE ns = %(ns)s AND session = %(session)s AND id = %(id)s);

-- name: turn_whole
SELECT text FROM turns WHERE ns = %(ns)s AND session = %(session)s AND id = %(id)s AND hidden = 0;

-- Edges with both ends among some segments.
-- name: edges_among
SELECT e.src, e.kind, e.dst, e.weight FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN edges e ON e.ns = %(ns)s AND e.src = k.value
WHERE e.dst = ANY(%(keys)s::bigint[]) ORDER BY e.src, e.kind, e.dst;

-- The live segments in which somebody spoke last.
-- name: keys_of_speaker
SELECT g.key FROM (
  SELECT session, position FROM turns WHERE ns = %(ns)s AND speaker = %(speaker)s AND hidden = 0
  ORDER BY said_at DESC LIMIT 3 * %(limit)s
) t JOIN segments g ON g.ns = %(ns)s AND g.session = t.session AND t.position BETWEEN g.first AND g.last
WHERE g.state = 0 GROUP BY g.ns, g.key ORDER BY g.said_at DESC, g.tie LIMIT %(limit)s;
-- name: notes_found
SELECT n.key FROM notes n JOIN segments g ON g.ns = %(ns)s AND g.key = n.key
JOIN turns t ON t.ns = %(ns)s AND t.session = g.session AND t.position = g.first
LEFT JOIN uses u ON u.ns = %(ns)s AND u.key = n.key
WHERE n.ns = %(ns)s AND g.ns = %(ns)s AND g.state < %(below)s AND t.hidden = 0
  AND (%(words)s::text IS NULL OR strpos(lower(t.text || ' ' || t.speaker || ' ' || n.tags), lower(%(words)s COLLATE "C")) > 0)
  AND (%(tag)s::text IS NULL OR EXISTS (SELECT 1 FROM json_array_elements_text(n.tags::json) j(value) WHERE j.value = %(tag)s))
ORDER BY
  CASE %(sort)s WHEN 'oldest' THEN n.made_at WHEN 'newest' THEN -n.made_at WHEN 'strength' THEN -n.strength
    WHEN 'recalls' THEN -coalesce(u.hits, 0) ELSE 0 END,
  CASE %(sort)s WHEN 'text' THEN lower(t.text) ELSE '' END, n.made_at DESC, n.key
LIMIT nullif(%(limit)s::bigint, -1) OFFSET %(offset)s;

-- name: notes_found_count
SELECT count(*) FROM notes n JOIN segments g ON g.ns = %(ns)s AND g.key = n.key
JOIN turns t ON t.ns = %(ns)s AND t.session = g.session AND t.position = g.first
WHERE n.ns = %(ns)s AND g.ns = %(ns)s AND g.state < %(below)s AND t.hidden = 0
  AND (%(words)s::text IS NULL OR strpos(lower(t.text || ' ' || t.speaker || ' ' || n.tags), lower(%(words)s COLLATE "C")) > 0)
  AND (%(tag)s::text IS NULL OR EXISTS (SELECT 1 FROM json_array_elements_text(n.tags::json) j(value) WHERE j.value = %(tag)s));

-- The live segments that were said last.
-- name: keys_latest
SELECT key FROM segments WHERE ns = %(ns)s AND state = 0 ORDER BY said_at DESC, tie LIMIT nullif(%(limit)s::bigint, -1);

-- Edges of meaning from a session's segments to those of others, whichever way they point.
-- name: edges_leaving
SELECT s.conversation, s.id AS session, max(e.weight) AS weight FROM (
  SELECT e.dst AS other, e.weight FROM segments g JOIN edges e ON e.ns = %(ns)s AND e.src = g.key
  WHERE g.ns = %(ns)s AND g.session = %(session)s AND e.kind <> 'chain'
  UNION ALL
  SELECT e.src, e.weight FROM segments g JOIN edges e ON e.ns = %(ns)s AND e.dst = g.key
  WHERE g.ns = %(ns)s AND g.session = %(session)s AND e.kind <> 'chain'
) e JOIN segments o ON o.ns = %(ns)s AND o.key = e.other JOIN sessions s ON s.ns = %(ns)s AND s.key = o.session
WHERE o.state = 0 AND o.session <> %(session)s GROUP BY s.ns, s.key ORDER BY weight DESC, s.key;
