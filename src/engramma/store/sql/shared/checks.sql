-- ---- counts and checks ----

-- What is remembered: of what is forgotten only how many turns. Notes and documents count
-- by themselves and are no sessions; their turns count as turns. An open session in which nothing was said yet counts, too.
-- name: counts
SELECT
  (SELECT count(*) FROM conversations c WHERE c.ns = :ns AND c.id NOT IN ('engramma:notes', 'engramma:documents')
    AND EXISTS (SELECT 1 FROM sessions s WHERE s.ns = :ns
    AND s.conversation = c.id AND (s.visible > 0 OR (s.closed = 0 AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.ns = :ns AND t.session = s.key))))) AS conversations,
  (SELECT count(*) FROM sessions WHERE ns = :ns AND visible > 0 AND conversation NOT IN ('engramma:notes', 'engramma:documents'))
    + (SELECT count(*) FROM sessions s WHERE s.ns = :ns AND s.closed = 0 AND s.visible = 0
      AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.ns = :ns AND t.session = s.key)) AS sessions,
  (SELECT count(*) FROM sessions s WHERE s.ns = :ns AND s.closed = 0
    AND (s.visible > 0 OR NOT EXISTS (SELECT 1 FROM turns t WHERE t.ns = :ns AND t.session = s.key))) AS open_sessions,
  (SELECT count(*) FROM turns WHERE ns = :ns AND hidden = 0) AS turns,
  (SELECT count(*) FROM segments WHERE ns = :ns AND state < 4) AS segments,
  (SELECT count(*) FROM embeddings WHERE ns = :ns) AS vectors,
  (SELECT count(*) FROM notes n JOIN segments g ON g.key = n.key WHERE n.ns = :ns AND g.ns = :ns AND g.state < 4) AS notes,
  (SELECT count(*) FROM sessions WHERE ns = :ns AND conversation = 'engramma:documents' AND visible > 0) AS documents,
  (SELECT count(*) FROM segments INDEXED BY segments_apart WHERE ns = :ns AND state > 0 AND state = 1) AS archived,
  (SELECT count(*) FROM segments INDEXED BY segments_apart WHERE ns = :ns AND state > 0 AND state = 2) AS retired,
  (SELECT count(*) FROM turns WHERE ns = :ns AND hidden > 0) AS forgotten_turns,
  (SELECT count(*) FROM topics WHERE ns = :ns) AS topics;

-- name: counts_edges
SELECT kind, count(*) AS edges FROM edges WHERE ns = :ns GROUP BY kind ORDER BY kind;

-- name: time_span
SELECT min(started_at), max(last_at) FROM sessions WHERE ns = :ns AND visible > 0;

-- name: speakers
SELECT speaker, count(*) AS turns FROM turns WHERE ns = :ns AND hidden = 0
  AND session NOT IN (SELECT key FROM sessions WHERE ns = :ns AND conversation = 'engramma:documents')
GROUP BY speaker ORDER BY turns DESC, speaker LIMIT :limit;

-- name: check_turns_without_session
SELECT count(*) FROM turns t LEFT JOIN sessions s ON s.key = t.session AND s.ns = t.ns WHERE t.ns = :ns AND s.key IS NULL;

-- name: check_segments_without_session
SELECT count(*) FROM segments g LEFT JOIN sessions s ON s.key = g.session AND s.ns = g.ns WHERE g.ns = :ns AND s.key IS NULL;

-- Those of a session that is not linked wait for theirs, and what is forgotten needs none.
-- name: check_segments_without_vector
SELECT count(*) FROM segments g JOIN sessions s ON s.key = g.session AND s.ns = g.ns LEFT JOIN embeddings e ON e.ns = g.ns AND e.key = g.key
WHERE g.ns = :ns AND e.key IS NULL AND g.state < 4 AND s.linked = 1;

-- name: check_vectors_without_segment
SELECT count(*) FROM embeddings e LEFT JOIN segments g ON g.key = e.key AND g.ns = e.ns WHERE e.ns = :ns AND g.key IS NULL;

-- A segment is forgotten exactly when no turn of it is visible, and a turn is hidden exactly when an act says so.
-- name: check_forgotten
SELECT (SELECT count(*) FROM segments g WHERE g.ns = :ns AND (g.state >= 4) = EXISTS (
    SELECT 1 FROM turns t WHERE t.ns = :ns AND t.session = g.session AND t.position BETWEEN g.first AND g.last AND t.hidden = 0))
  + (SELECT count(*) FROM turns t WHERE t.ns = :ns AND (t.hidden > 0) <> EXISTS (SELECT 1 FROM hidings h WHERE h.ns = :ns AND h.turn = t.key));

-- name: check_notes
SELECT (SELECT count(*) FROM segments g LEFT JOIN notes n ON n.ns = g.ns AND n.key = g.key WHERE g.ns = :ns AND g.kind = 'note' AND n.key IS NULL)
  + (SELECT count(*) FROM notes n LEFT JOIN segments g ON g.key = n.key AND g.ns = n.ns WHERE n.ns = :ns AND (g.key IS NULL OR g.kind <> 'note'))
  + (SELECT count(*) FROM repeats r LEFT JOIN notes n ON n.ns = r.ns AND n.key = r.key WHERE r.ns = :ns AND n.key IS NULL);

-- Typed links and their edges come in pairs.
-- name: check_links
SELECT (SELECT count(*) FROM links l LEFT JOIN edges e ON e.ns = l.ns AND e.src = l.src AND e.kind = l.kind AND e.dst = l.dst WHERE l.ns = :ns AND e.src IS NULL)
  + (SELECT count(*) FROM edges e LEFT JOIN links l ON l.ns = e.ns AND l.src = e.src AND l.kind = e.kind AND l.dst = e.dst
     WHERE e.ns = :ns AND e.kind NOT IN ('chain', 'semantic') AND l.src IS NULL);

-- name: check_vector_sizes
SELECT count(*) FROM embeddings WHERE ns = :ns AND length(vector) <> :vector_bytes;

-- name: check_edges_without_segment
SELECT count(*) FROM edges e
LEFT JOIN segments a ON a.key = e.src AND a.ns = e.ns LEFT JOIN segments b ON b.key = e.dst AND b.ns = e.ns
WHERE e.ns = :ns AND (a.key IS NULL OR b.key IS NULL);

-- Chain edges that are not between neighbours, or have no way back.
-- name: check_chain_wrong
SELECT count(*) FROM edges e JOIN segments a ON a.ns = :ns AND a.key = e.src JOIN segments b ON b.ns = :ns AND b.key = e.dst
WHERE e.ns = :ns AND e.kind = 'chain' AND (a.session <> b.session OR abs(a.idx - b.idx) <> 1
  OR NOT EXISTS (SELECT 1 FROM edges r WHERE r.ns = :ns AND r.src = e.dst AND r.kind = 'chain' AND r.dst = e.src));

-- Neighbours in a linked session that no chain edge joins.
-- name: check_chain_missing
SELECT count(*) FROM segments a JOIN segments b ON b.ns = a.ns AND b.session = a.session AND b.idx = a.idx + 1
JOIN sessions s ON s.ns = :ns AND s.key = a.session
WHERE a.ns = :ns AND s.linked = 1
  AND NOT EXISTS (SELECT 1 FROM edges e WHERE e.ns = :ns AND e.src = a.key AND e.kind = 'chain' AND e.dst = b.key);

-- Semantic edges within a session or towards a younger one.
-- name: check_semantic_direction
SELECT count(*) FROM edges e
JOIN segments a ON a.ns = :ns AND a.key = e.src JOIN sessions x ON x.ns = :ns AND x.key = a.session
JOIN segments b ON b.ns = :ns AND b.key = e.dst JOIN sessions y ON y.ns = :ns AND y.key = b.session
WHERE e.ns = :ns AND e.kind = 'semantic'
  AND (x.started_at, x.conversation, x.id) <= (y.started_at, y.conversation, y.id);

-- name: check_semantic_degree
SELECT count(*) FROM (
  SELECT node FROM (
    SELECT src AS node FROM edges WHERE ns = :ns AND kind = 'semantic'
    UNION ALL SELECT dst FROM edges WHERE ns = :ns AND kind = 'semantic'
  ) ends GROUP BY node HAVING count(*) > :cap
) crowded;

-- name: check_near_lists
SELECT key, reach, list FROM near WHERE ns = :ns ORDER BY key;

-- name: check_semantic_edges
SELECT src, dst, weight FROM edges WHERE ns = :ns AND kind = 'semantic' ORDER BY src, dst;
