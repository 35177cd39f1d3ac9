-- ---- what the dashboard shows ----

-- Turns a day, days counted from 1970.
-- name: activity
SELECT CAST(name AS INTEGER) AS day, count AS turns FROM tallies WHERE ns = :ns AND kind = 'day' AND count > 0 ORDER BY day;

-- Where conversations come from.
-- name: browse_sources
SELECT source, count(*) AS conversations FROM conversations WHERE ns = :ns AND source IS NOT NULL
GROUP BY source ORDER BY conversations DESC, source;

-- Sessions of talk in which something can be read, within bounds; the latest first. Words are looked for in names and
-- titles; :sessions are those in which they were said.
-- name: browse_sessions
SELECT p.key, p.conversation, p.id, p.started_at, p.last_at, p.closed, p.visible AS turns, c.title, c.source,
  (SELECT substr(t.text, 1, 240) FROM turns t WHERE t.ns = :ns AND t.session = p.key AND t.hidden = 0
    ORDER BY t.position LIMIT 1) AS opening
FROM (
  SELECT s.key, s.conversation, s.id, s.started_at, s.last_at, s.closed, s.visible
  FROM sessions s INDEXED BY sessions_by_last WHERE s.ns = :ns AND s.visible > 0 AND s.conversation <> 'engramma:notes'
    AND (:conversation IS NULL OR s.conversation = :conversation)
    AND (:source IS NULL OR s.conversation IN (SELECT id FROM conversations WHERE ns = :ns AND source = :source))
    AND (:since IS NULL OR s.last_at >= :since) AND (:until IS NULL OR s.started_at < :until)
    AND (:words IS NULL OR s.key IN (SELECT value FROM json_each(:sessions))
      OR instr(lower(s.conversation || ' ' || s.id || ' ' || coalesce(
        (SELECT c.title FROM conversations c WHERE c.ns = :ns AND c.id = s.conversation), '')), lower(:words)) > 0)
    AND (:speaker IS NULL OR s.key IN (SELECT t.session FROM turns t INDEXED BY turns_by_speaker
      WHERE t.ns = :ns AND t.speaker IN (SELECT value FROM json_each(:speaker)) AND t.hidden = 0))
    AND (:topic IS NULL OR s.key IN (SELECT g.session FROM topic_members m CROSS JOIN segments g ON g.key = m.key
      WHERE m.ns = :ns AND m.topic = :topic AND g.ns = :ns AND g.state = 0))
  ORDER BY s.last_at DESC, s.conversation, s.id LIMIT :limit OFFSET :offset
) p LEFT JOIN conversations c ON c.ns = :ns AND c.id = p.conversation ORDER BY p.last_at DESC, p.conversation, p.id;

-- name: browse_sessions_count
SELECT count(*) FROM sessions s INDEXED BY sessions_by_last WHERE s.ns = :ns AND s.visible > 0 AND s.conversation <> 'engramma:notes'
  AND (:conversation IS NULL OR s.conversation = :conversation)
  AND (:source IS NULL OR s.conversation IN (SELECT id FROM conversations WHERE ns = :ns AND source = :source))
  AND (:since IS NULL OR s.last_at >= :since) AND (:until IS NULL OR s.started_at < :until)
  AND (:words IS NULL OR s.key IN (SELECT value FROM json_each(:sessions))
    OR instr(lower(s.conversation || ' ' || s.id || ' ' || coalesce(
      (SELECT c.title FROM conversations c WHERE c.ns = :ns AND c.id = s.conversation), '')), lower(:words)) > 0)
  AND (:speaker IS NULL OR s.key IN (SELECT t.session FROM turns t INDEXED BY turns_by_speaker
    WHERE t.ns = :ns AND t.speaker IN (SELECT value FROM json_each(:speaker)) AND t.hidden = 0))
  AND (:topic IS NULL OR s.key IN (SELECT g.session FROM topic_members m CROSS JOIN segments g ON g.key = m.key
    WHERE m.ns = :ns AND m.topic = :topic AND g.ns = :ns AND g.state = 0));

-- Where a text first stands in some sessions, with what is around it.
-- name: browse_passages
SELECT k.value AS session, (
  SELECT substr(t.text, CASE WHEN instr(lower(t.text), lower(:text)) > 50 THEN instr(lower(t.text), lower(:text)) - 50 ELSE 1 END, 240)
  FROM turns t WHERE t.ns = :ns AND t.session = k.value AND t.hidden = 0 AND instr(lower(t.text), lower(:text)) > 0
  ORDER BY t.position LIMIT 1
) AS passage FROM json_each(:sessions) k;

-- A page of what was said in a session; of a long text only its beginning.
-- name: turns_page
SELECT position, id, speaker, role, said_at, substr(text, 1, :most) AS text, length(text) AS size FROM turns
WHERE ns = :ns AND session = :session AND hidden = 0 ORDER BY position LIMIT :limit OFFSET :offset;

-- name: turns_visible
SELECT count(*) FROM turns WHERE ns = :ns AND session = :session AND hidden = 0;

-- How many visible turns come before one.
-- name: turn_offset
SELECT count(*) FROM turns WHERE ns = :ns AND session = :session AND hidden = 0
  AND position < (SELECT position FROM turns WHERE ns = :ns AND session = :session AND id = :id);

-- name: turn_whole
SELECT text FROM turns WHERE ns = :ns AND session = :session AND id = :id AND hidden = 0;

-- Edges with both ends among some segments.
-- name: edges_among
SELECT e.src, e.kind, e.dst, e.weight FROM json_each(:keys) k CROSS JOIN edges e ON e.ns = :ns AND e.src = k.value
WHERE e.dst IN (SELECT value FROM json_each(:keys)) ORDER BY e.src, e.kind, e.dst;

-- Notes with some words in them, by a tag, in an order; :most is the first state that is left out.
-- name: notes_found
SELECT n.key FROM notes n CROSS JOIN segments g ON g.key = n.key
CROSS JOIN turns t ON t.ns = :ns AND t.session = g.session AND t.position = g.first
LEFT JOIN uses u ON u.ns = :ns AND u.key = n.key
WHERE n.ns = :ns AND g.ns = :ns AND g.state < :below AND t.hidden = 0
  AND (:words IS NULL OR instr(lower(t.text || ' ' || t.speaker || ' ' || n.tags), lower(:words)) > 0)
  AND (:tag IS NULL OR EXISTS (SELECT 1 FROM json_each(n.tags) j WHERE j.value = :tag))
ORDER BY
  CASE :sort WHEN 'oldest' THEN n.made_at WHEN 'newest' THEN -n.made_at WHEN 'strength' THEN -n.strength
    WHEN 'recalls' THEN -coalesce(u.hits, 0) ELSE 0 END,
  CASE :sort WHEN 'text' THEN lower(t.text) ELSE '' END, n.made_at DESC, n.key
LIMIT :limit OFFSET :offset;

-- name: notes_found_count
SELECT count(*) FROM notes n CROSS JOIN segments g ON g.key = n.key
CROSS JOIN turns t ON t.ns = :ns AND t.session = g.session AND t.position = g.first
WHERE n.ns = :ns AND g.ns = :ns AND g.state < :below AND t.hidden = 0
  AND (:words IS NULL OR instr(lower(t.text || ' ' || t.speaker || ' ' || n.tags), lower(:words)) > 0)
  AND (:tag IS NULL OR EXISTS (SELECT 1 FROM json_each(n.tags) j WHERE j.value = :tag));

-- The live segments that were said last.
-- name: keys_latest
SELECT key FROM segments INDEXED BY segments_by_time WHERE ns = :ns AND state = 0 ORDER BY said_at DESC, tie LIMIT :limit;

-- Edges of meaning from a session's segments to those of others, whichever way they point.
-- name: edges_leaving
SELECT s.conversation, s.id AS session, max(e.weight) AS weight FROM (
  SELECT e.dst AS other, e.weight FROM segments g CROSS JOIN edges e ON e.ns = :ns AND e.src = g.key
  WHERE g.ns = :ns AND g.session = :session AND e.kind <> 'chain'
  UNION ALL
  SELECT e.src, e.weight FROM segments g CROSS JOIN edges e INDEXED BY edges_in ON e.ns = :ns AND e.dst = g.key
  WHERE g.ns = :ns AND g.session = :session AND e.kind <> 'chain'
) e CROSS JOIN segments o ON o.key = e.other CROSS JOIN sessions s ON s.key = o.session
WHERE o.ns = :ns AND o.state = 0 AND s.ns = :ns AND o.session <> :session GROUP BY s.ns, s.key ORDER BY weight DESC, s.key;
