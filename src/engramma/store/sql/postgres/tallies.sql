-- ---- what is counted as it comes and goes (migration 011) ----

-- name: tallies_of
SELECT name, count FROM tallies WHERE ns = %(ns)s AND kind = %(kind)s AND count > 0 ORDER BY count DESC, name LIMIT nullif(%(limit)s::bigint, -1);

-- Who speaks most.
-- name: speakers_by_turns
SELECT name, count AS turns FROM tallies WHERE ns = %(ns)s AND kind = 'speaker' AND count > 0
ORDER BY count DESC, name LIMIT nullif(%(limit)s::bigint, -1);

-- How many names of a kind there are.
-- name: tallies_size
SELECT count(*) FROM tallies WHERE ns = %(ns)s AND kind = %(kind)s AND count > 0;

-- The figures of an overview.
-- name: overview_counts
SELECT
  (SELECT count(*) FROM conversations WHERE ns = %(ns)s) AS conversations,
  (SELECT count(*) FROM sessions WHERE ns = %(ns)s) AS sessions,
  coalesce((SELECT count FROM tallies WHERE ns = %(ns)s AND kind = 'turns' AND name = ''), 0) AS turns,
  (SELECT count(*) FROM notes WHERE ns = %(ns)s) AS notes,
  (SELECT count(*) FROM sessions WHERE ns = %(ns)s AND conversation = 'engramma:documents') AS documents,
  (SELECT count(*) FROM topics WHERE ns = %(ns)s) AS topics;

-- Topics with live segments, the largest first.
-- name: topics_by_size
SELECT t.id, t.name, y.count AS size FROM (
  SELECT name, count FROM tallies WHERE ns = %(ns)s AND kind = 'topic' AND count > 0
  ORDER BY count DESC, name LIMIT nullif(%(limit)s::bigint, -1)
) y JOIN topics t ON t.ns = %(ns)s AND t.id = CAST(y.name AS INTEGER) WHERE t.ns = %(ns)s ORDER BY y.count DESC, t.id;

-- Notes in a state below one.
-- name: notes_counted
SELECT coalesce(sum(count), 0) FROM tallies WHERE ns = %(ns)s AND kind = 'note' AND CAST(name AS INTEGER) < %(below)s;

-- The tags of notes in a state below one, the most used first.
-- name: note_tags
SELECT substr(name, 3) AS tag, sum(count) AS notes FROM tallies
WHERE ns = %(ns)s AND kind = 'tag' AND count > 0 AND CAST(substr(name, 1, 1) AS INTEGER) < %(below)s
GROUP BY tag ORDER BY notes DESC, tag LIMIT nullif(%(limit)s::bigint, -1);

-- Notes in a state below one, the newest first.
-- name: notes_latest
SELECT n.key FROM notes n JOIN segments g ON g.ns = %(ns)s AND g.key = n.key
WHERE n.ns = %(ns)s AND g.ns = %(ns)s AND g.state < %(below)s ORDER BY n.made_at DESC, n.key LIMIT nullif(%(limit)s::bigint, -1) OFFSET %(offset)s;

-- What the counts should be, kind by kind.
-- name: check_tallies
WITH due AS MATERIALIZED (
  SELECT 'turns' AS kind, '' AS name, count(*) AS count FROM turns WHERE ns = %(ns)s HAVING count(*) > 0
  UNION ALL SELECT 'day', CAST(said_at / 86400000000 AS TEXT), count(*) FROM turns WHERE ns = %(ns)s AND hidden = 0 GROUP BY said_at / 86400000000
  UNION ALL SELECT 'speaker', t.speaker, count(*) FROM sessions s JOIN turns t ON t.ns = %(ns)s AND t.session = s.key
    WHERE s.ns = %(ns)s AND t.hidden = 0 AND s.conversation <> 'engramma:documents' GROUP BY t.speaker
  UNION ALL SELECT 'edges', kind, count(*) FROM edges WHERE ns = %(ns)s GROUP BY kind
  UNION ALL SELECT 'topic', CAST(m.topic AS TEXT), count(*) FROM topic_members m JOIN segments g ON g.ns = %(ns)s AND g.key = m.key
    WHERE m.ns = %(ns)s AND g.ns = %(ns)s AND g.state = 0 GROUP BY m.topic
  UNION ALL SELECT 'note', CAST(g.state AS TEXT), count(*) FROM notes n JOIN segments g ON g.ns = %(ns)s AND g.key = n.key WHERE n.ns = %(ns)s GROUP BY g.state
  UNION ALL SELECT 'tag', g.state || ' ' || j.value, count(*) FROM notes n JOIN segments g ON g.ns = %(ns)s AND g.key = n.key
    CROSS JOIN json_array_elements_text(n.tags::json) j(value) WHERE n.ns = %(ns)s GROUP BY g.state, j.value
), kept AS MATERIALIZED (SELECT kind, name, count FROM tallies WHERE ns = %(ns)s AND count <> 0)
SELECT (SELECT count(*) FROM (SELECT * FROM due EXCEPT SELECT * FROM kept) missing)
  + (SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM due) wrong)
  + (SELECT count(*) FROM sessions s WHERE s.ns = %(ns)s
    AND s.visible <> (SELECT count(*) FROM turns t WHERE t.ns = %(ns)s AND t.session = s.key AND t.hidden = 0));

-- ---- count anew ----

-- name: tallies_fill
INSERT INTO tallies (ns, kind, name, count)
SELECT %(ns)s, 'turns', '', count(*) FROM turns WHERE ns = %(ns)s
UNION ALL SELECT %(ns)s, 'day', CAST(said_at / 86400000000 AS TEXT), count(*) FROM turns WHERE ns = %(ns)s AND hidden = 0 GROUP BY said_at / 86400000000
UNION ALL SELECT %(ns)s, 'speaker', t.speaker, count(*) FROM sessions s JOIN turns t ON t.ns = %(ns)s AND t.session = s.key
  WHERE s.ns = %(ns)s AND t.hidden = 0 AND s.conversation <> 'engramma:documents' GROUP BY t.speaker
UNION ALL SELECT %(ns)s, 'edges', kind, count(*) FROM edges WHERE ns = %(ns)s GROUP BY kind
UNION ALL SELECT %(ns)s, 'topic', CAST(m.topic AS TEXT), count(*) FROM topic_members m JOIN segments g ON g.ns = %(ns)s AND g.key = m.key
  WHERE m.ns = %(ns)s AND g.ns = %(ns)s AND g.state = 0 GROUP BY m.topic
UNION ALL SELECT %(ns)s, 'note', CAST(g.state AS TEXT), count(*) FROM notes n JOIN segments g ON g.ns = %(ns)s AND g.key = n.key WHERE n.ns = %(ns)s GROUP BY g.state
UNION ALL SELECT %(ns)s, 'tag', g.state || ' ' || j.value, count(*) FROM notes n JOIN segments g ON g.ns = %(ns)s AND g.key = n.key
  CROSS JOIN json_array_elements_text(n.tags::json) j(value) WHERE n.ns = %(ns)s GROUP BY g.state, j.value;

-- name: sessions_visible_fill
UPDATE sessions SET visible = (SELECT count(*) FROM turns t WHERE t.ns = %(ns)s AND t.session = sessions.key AND t.hidden = 0)
WHERE ns = %(ns)s;

-- name: namespace_drop_tallies
DELETE FROM tallies WHERE ns = %(ns)s;
