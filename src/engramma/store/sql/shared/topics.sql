-- ---- topics ----

-- name: topic_member_delete
DELETE FROM topic_members WHERE ns = :ns AND key = :key;

-- What topics are found in: the live segments by their tie, and the edges as far as each kind counts.
-- name: topic_nodes
SELECT key FROM segments INDEXED BY segments_by_tie WHERE ns = :ns AND state = 0 ORDER BY tie, key;

-- name: topic_edges
SELECT src, dst, weight * CASE kind WHEN 'semantic' THEN CAST(:semantic AS REAL) WHEN 'chain' THEN CAST(:chain AS REAL) ELSE CAST(:typed AS REAL) END AS weight
FROM edges WHERE ns = :ns;

-- name: topic_members_all
SELECT key, topic FROM topic_members WHERE ns = :ns;

-- Live segments that came after the last that is in a topic, each with the topics of its neighbours.
-- name: topic_edges_of_new
WITH fresh AS MATERIALIZED (
  SELECT key FROM segments WHERE ns = :ns AND state = 0
    AND key > (SELECT coalesce(max(key), 9223372036854775807) FROM topic_members WHERE ns = :ns)
), pairs AS (
  SELECT f.key, e.dst AS other, e.kind, e.weight FROM fresh f CROSS JOIN edges e ON e.ns = :ns AND e.src = f.key
  UNION ALL
  SELECT f.key, e.src, e.kind, e.weight FROM fresh f CROSS JOIN edges e INDEXED BY edges_in ON e.ns = :ns AND e.dst = f.key
)
SELECT p.key, m.topic, p.weight * CASE p.kind WHEN 'semantic' THEN CAST(:semantic AS REAL) WHEN 'chain' THEN CAST(:chain AS REAL) ELSE CAST(:typed AS REAL) END AS weight
FROM pairs p CROSS JOIN topic_members m ON m.ns = :ns AND m.key = p.other CROSS JOIN segments g ON g.key = p.other
WHERE g.ns = :ns AND g.state = 0;

-- name: topic_add
INSERT INTO topics (ns, name, made_at) VALUES (:ns, :title, :made_at) RETURNING id;

-- name: topic_rename
UPDATE topics SET name = :title WHERE ns = :ns AND id = :id;

-- name: topic_members_put
INSERT INTO topic_members (ns, key, topic)
SELECT :ns, g.key, :topic FROM json_each(:keys) k CROSS JOIN segments g ON g.key = k.value WHERE g.ns = :ns AND g.state = 0
ON CONFLICT (ns, key) DO UPDATE SET topic = excluded.topic;

-- name: topic_members_drop
DELETE FROM topic_members WHERE ns = :ns AND key IN (SELECT value FROM json_each(:keys));

-- Members of topics that are gone, and those that are not live.
-- name: topic_members_lost
DELETE FROM topic_members WHERE ns = :ns AND (topic NOT IN (SELECT id FROM topics WHERE ns = :ns)
  OR key NOT IN (SELECT key FROM segments WHERE ns = :ns AND state = 0));

-- The topics that have live segments, the largest first.
-- name: topics_listed
SELECT t.id, t.name, t.made_at, count(*) AS size, min(g.said_at) AS first_at, max(g.said_at) AS last_at
FROM topics t CROSS JOIN topic_members m ON m.ns = :ns AND m.topic = t.id CROSS JOIN segments g ON g.key = m.key
WHERE t.ns = :ns AND g.ns = :ns AND g.state = 0 AND (CAST(:id AS INTEGER) IS NULL OR t.id = :id)
GROUP BY t.ns, t.id ORDER BY size DESC, t.id;

-- name: topic_nodes_of
SELECT m.key FROM topic_members m CROSS JOIN segments g ON g.key = m.key
WHERE m.ns = :ns AND m.topic = :topic AND g.ns = :ns AND g.state = 0 ORDER BY g.tie, m.key;

-- name: topic_edges_of
SELECT e.src, e.dst, e.weight * CASE e.kind WHEN 'semantic' THEN CAST(:semantic AS REAL) WHEN 'chain' THEN CAST(:chain AS REAL) ELSE CAST(:typed AS REAL) END AS weight
FROM topic_members m CROSS JOIN edges e ON e.ns = :ns AND e.src = m.key
CROSS JOIN topic_members o ON o.ns = :ns AND o.key = e.dst
WHERE m.ns = :ns AND m.topic = :topic AND o.topic = :topic;

-- name: keys_of_topic
SELECT m.key FROM topic_members m CROSS JOIN segments g ON g.key = m.key
WHERE m.ns = :ns AND m.topic = :topic AND g.ns = :ns AND g.state = 0 ORDER BY m.key;

-- name: topics_by_keys
SELECT m.key, m.topic FROM json_each(:keys) k CROSS JOIN topic_members m ON m.ns = :ns AND m.key = k.value;

-- Who speaks. A document's "speaker" is its name and headings, which tell what it is about.
-- name: topic_speakers
SELECT DISTINCT t.speaker FROM segments g
CROSS JOIN turns t ON t.ns = :ns AND t.session = g.session AND t.position BETWEEN g.first AND g.last
WHERE g.ns = :ns AND g.state = 0 AND g.kind <> 'chunk' AND t.hidden = 0;

-- name: segments_live
SELECT count(*) FROM segments WHERE ns = :ns AND state = 0;

-- name: topics_drop_empty
DELETE FROM topics WHERE ns = :ns AND NOT EXISTS (SELECT 1 FROM topic_members m WHERE m.ns = :ns AND m.topic = topics.id);

-- Members are segments, and belong to a topic of the same namespace.
-- name: check_topics
SELECT count(*) FROM topic_members m LEFT JOIN segments g ON g.key = m.key AND g.ns = m.ns LEFT JOIN topics t ON t.id = m.topic AND t.ns = m.ns
WHERE m.ns = :ns AND (g.key IS NULL OR t.id IS NULL);
