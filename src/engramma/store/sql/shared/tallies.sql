-- ---- what is counted as it comes and goes (migration 011) ----

-- name: tallies_of
SELECT name, count FROM tallies WHERE ns = :ns AND kind = :kind AND count > 0 ORDER BY count DESC, name LIMIT :limit;

-- Who speaks most.
-- name: speakers_by_turns
SELECT name, count AS turns FROM tallies INDEXED BY tallies_of_speakers WHERE ns = :ns AND kind = 'speaker' AND count > 0
ORDER BY count DESC, name LIMIT :limit;

-- The figures of an overview. Notes and documents count by themselves and are no sessions; their turns count as turns.
-- name: overview_counts
SELECT
  (SELECT count(*) FROM conversations c WHERE c.ns = :ns AND c.id NOT IN ('engramma:notes', 'engramma:documents')
    AND EXISTS (SELECT 1 FROM sessions s WHERE s.ns = :ns AND s.conversation = c.id AND s.visible > 0)) AS conversations,
  (SELECT count(*) FROM sessions WHERE ns = :ns AND visible > 0 AND conversation NOT IN ('engramma:notes', 'engramma:documents')) AS sessions,
  CAST(coalesce((SELECT sum(count) FROM tallies WHERE ns = :ns AND kind = 'day'), 0) AS INTEGER) AS turns,
  CAST(coalesce((SELECT sum(count) FROM tallies WHERE ns = :ns AND kind = 'note' AND CAST(name AS INTEGER) < 4), 0) AS INTEGER) AS notes,
  (SELECT count(*) FROM sessions WHERE ns = :ns AND conversation = 'engramma:documents' AND visible > 0) AS documents,
  (SELECT count(*) FROM topics WHERE ns = :ns) AS topics;

-- Topics with live segments, the largest first.
-- name: topics_by_size
SELECT t.id, t.name, y.count AS size FROM (
  SELECT name, count FROM tallies INDEXED BY tallies_of_topics WHERE ns = :ns AND kind = 'topic' AND count > 0
  ORDER BY count DESC, name LIMIT :limit
) y CROSS JOIN topics t ON t.id = CAST(y.name AS INTEGER) WHERE t.ns = :ns ORDER BY y.count DESC, t.id;

-- Notes in a state below one.
-- name: notes_counted
SELECT coalesce(sum(count), 0) FROM tallies WHERE ns = :ns AND kind = 'note' AND CAST(name AS INTEGER) < :below;

-- The tags of notes in a state below one, the most used first.
-- name: note_tags
SELECT substr(name, 3) AS tag, sum(count) AS notes FROM tallies
WHERE ns = :ns AND kind = 'tag' AND count > 0 AND CAST(substr(name, 1, 1) AS INTEGER) < :below
GROUP BY tag ORDER BY notes DESC, tag LIMIT :limit;

-- Notes in a state below one, the newest first.
-- name: notes_latest
SELECT n.key FROM notes n INDEXED BY notes_by_time CROSS JOIN segments g ON g.key = n.key
WHERE n.ns = :ns AND g.ns = :ns AND g.state < :below ORDER BY n.made_at DESC, n.key LIMIT :limit OFFSET :offset;

-- What the counts should be, kind by kind.
-- name: check_tallies
WITH due AS MATERIALIZED (
  SELECT 'turns' AS kind, '' AS name, count(*) AS count FROM turns WHERE ns = :ns HAVING count(*) > 0
  UNION ALL SELECT 'day', CAST(said_at / 86400000000 AS TEXT), count(*) FROM turns WHERE ns = :ns AND hidden = 0 GROUP BY said_at / 86400000000
  UNION ALL SELECT 'speaker', t.speaker, count(*) FROM sessions s CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key
    WHERE s.ns = :ns AND t.hidden = 0 AND s.conversation <> 'engramma:documents' GROUP BY t.speaker
  UNION ALL SELECT 'edges', kind, count(*) FROM edges WHERE ns = :ns GROUP BY kind
  UNION ALL SELECT 'topic', CAST(m.topic AS TEXT), count(*) FROM topic_members m CROSS JOIN segments g ON g.key = m.key
    WHERE m.ns = :ns AND g.ns = :ns AND g.state = 0 GROUP BY m.topic
  UNION ALL SELECT 'note', CAST(g.state AS TEXT), count(*) FROM notes n CROSS JOIN segments g ON g.ns = :ns AND g.key = n.key WHERE n.ns = :ns GROUP BY g.state
  UNION ALL SELECT 'tag', g.state || ' ' || j.value, count(*) FROM notes n CROSS JOIN segments g ON g.ns = :ns AND g.key = n.key
    CROSS JOIN json_each(n.tags) j WHERE n.ns = :ns GROUP BY g.state, j.value
), kept AS MATERIALIZED (SELECT kind, name, count FROM tallies WHERE ns = :ns AND count <> 0)
SELECT (SELECT count(*) FROM (SELECT * FROM due EXCEPT SELECT * FROM kept) missing)
  + (SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM due) wrong)
  + (SELECT count(*) FROM sessions s WHERE s.ns = :ns
    AND s.visible <> (SELECT count(*) FROM turns t WHERE t.ns = :ns AND t.session = s.key AND t.hidden = 0));

-- ---- count anew ----

-- name: tallies_fill
INSERT INTO tallies (ns, kind, name, count)
SELECT :ns, 'turns', '', count(*) FROM turns WHERE ns = :ns
UNION ALL SELECT :ns, 'day', CAST(said_at / 86400000000 AS TEXT), count(*) FROM turns WHERE ns = :ns AND hidden = 0 GROUP BY said_at / 86400000000
UNION ALL SELECT :ns, 'speaker', t.speaker, count(*) FROM sessions s CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key
  WHERE s.ns = :ns AND t.hidden = 0 AND s.conversation <> 'engramma:documents' GROUP BY t.speaker
UNION ALL SELECT :ns, 'edges', kind, count(*) FROM edges WHERE ns = :ns GROUP BY kind
UNION ALL SELECT :ns, 'topic', CAST(m.topic AS TEXT), count(*) FROM topic_members m CROSS JOIN segments g ON g.key = m.key
  WHERE m.ns = :ns AND g.ns = :ns AND g.state = 0 GROUP BY m.topic
UNION ALL SELECT :ns, 'note', CAST(g.state AS TEXT), count(*) FROM notes n CROSS JOIN segments g ON g.ns = :ns AND g.key = n.key WHERE n.ns = :ns GROUP BY g.state
UNION ALL SELECT :ns, 'tag', g.state || ' ' || j.value, count(*) FROM notes n CROSS JOIN segments g ON g.ns = :ns AND g.key = n.key
  CROSS JOIN json_each(n.tags) j WHERE n.ns = :ns GROUP BY g.state, j.value;

-- name: sessions_visible_fill
UPDATE sessions SET visible = (SELECT count(*) FROM turns t WHERE t.ns = :ns AND t.session = sessions.key AND t.hidden = 0)
WHERE ns = :ns;
