-- ---- topics ----

-- name: topic_member_delete
DELETE FROM topic_members WHERE ns = %(ns)s AND key = %(key)s;

-- What topics are found in: the live segments by their tie, and the edges as far as each kind counts.
-- name: topic_nodes
SELECT key FROM segments WHERE ns = %(ns)s AND state = 0 ORDER BY tie, key;

-- name: topic_edges
SELECT src, dst, weight * CASE kind WHEN 'semantic' THEN %(semantic)s::float8 WHEN 'chain' THEN %(chain)s::float8 ELSE %(typed)s::float8 END AS weight
FROM edges WHERE ns = %(ns)s;

-- name: topic_members_all
SELECT key, topic FROM topic_members WHERE ns = %(ns)s;

-- Live segments that came after the last that is in a topic, each with the topics of its neighbours.
-- name: topic_edges_of_new
WITH fresh AS MATERIALIZED (
  SELECT key FROM segments WHERE ns = %(ns)s AND state = 0
    AND key > (SELECT coalesce(max(key), 9223372036854775807) FROM topic_members WHERE ns = %(ns)s)
), pairs AS (
  SELECT f.key, e.dst AS other, e.kind, e.weight FROM fresh f JOIN edges e ON e.ns = %(ns)s AND e.src = f.key
  UNION ALL
  SELECT f.key, e.src, e.kind, e.weight FROM fresh f JOIN edges e ON e.ns = %(ns)s AND e.dst = f.key
)
SELECT p.key, m.topic, p.weight * CASE p.kind WHEN 'semantic' THEN %(semantic)s::float8 WHEN 'chain' THEN %(chain)s::float8 ELSE %(typed)s::float8 END AS weight
FROM pairs p JOIN topic_members m ON m.ns = %(ns)s AND m.key = p.other JOIN segments g ON g.ns = %(ns)s AND g.key = p.other
WHERE g.ns = %(ns)s AND g.state = 0;

-- name: topic_add
INSERT INTO topics (ns, name, made_at) VALUES (%(ns)s, %(title)s, %(made_at)s) RETURNING id;

-- name: topic_rename
UPDATE topics SET name = %(title)s WHERE ns = %(ns)s AND id = %(id)s;

-- name: topics_keep
DELETE FROM topics WHERE ns = %(ns)s AND id <> ALL(%(ids)s::bigint[]);

-- name: topic_members_put
INSERT INTO topic_members (ns, key, topic)
SELECT %(ns)s, g.key, %(topic)s FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN segments g ON g.ns = %(ns)s AND g.key = k.value WHERE g.ns = %(ns)s AND g.state = 0
ON CONFLICT (ns, key) DO UPDATE SET topic = excluded.topic;

-- name: topic_members_drop
DELETE FROM topic_members WHERE ns = %(ns)s AND key = ANY(%(keys)s::bigint[]);

-- Members of topics that are gone, and those that are not live.
-- name: topic_members_lost
DELETE FROM topic_members WHERE ns = %(ns)s AND (topic NOT IN (SELECT id FROM topics WHERE ns = %(ns)s)
  OR key NOT IN (SELECT key FROM segments WHERE ns = %(ns)s AND state = 0));

-- The topics that have live segments, the largest first.
-- name: topics_listed
SELECT t.id, t.name, t.made_at, count(*) AS size, min(g.said_at) AS first_at, max(g.said_at) AS last_at
FROM topics t JOIN topic_members m ON m.ns = %(ns)s AND m.topic = t.id JOIN segments g ON g.ns = %(ns)s AND g.key = m.key
WHERE t.ns = %(ns)s AND g.ns = %(ns)s AND g.state = 0 AND (%(id)s::bigint IS NULL OR t.id = %(id)s)
GROUP BY t.ns, t.id ORDER BY size DESC, t.id;

-- name: topic_nodes_of
SELECT m.key FROM topic_members m JOIN segments g ON g.ns = %(ns)s AND g.key = m.key
WHERE m.ns = %(ns)s AND m.topic = %(topic)s AND g.ns = %(ns)s AND g.state = 0 ORDER BY g.tie, m.key;

-- name: topic_edges_of
SELECT e.src, e.dst, e.weight * CASE e.kind WHEN 'semantic' THEN %(semantic)s::float8 WHEN 'chain' THEN %(chain)s::float8 ELSE %(typed)s::float8 END AS weight
FROM topic_members m JOIN edges e ON e.ns = %(ns)s AND e.src = m.key
JOIN topic_members o ON o.ns = %(ns)s AND o.key = e.dst
WHERE m.ns = %(ns)s AND m.topic = %(topic)s AND o.topic = %(topic)s;

-- name: keys_of_topic
SELECT m.key FROM topic_members m JOIN segments g ON g.ns = %(ns)s AND g.key = m.key
WHERE m.ns = %(ns)s AND m.topic = %(topic)s AND g.ns = %(ns)s AND g.state = 0 ORDER BY m.key;

-- name: topics_by_keys
SELECT m.key, m.topic FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN topic_members m ON m.ns = %(ns)s AND m.key = k.value
ORDER BY k.place;

-- Who speaks. A document's "speaker" is its name and headings, which tell what it is about.
-- name: topic_speakers
SELECT DISTINCT t.speaker FROM segments g
JOIN turns t ON t.ns = %(ns)s AND t.session = g.session AND t.position BETWEEN g.first AND g.last
WHERE g.ns = %(ns)s AND g.state = 0 AND g.kind <> 'chunk' AND t.hidden = 0;

-- name: segments_live
SELECT count(*) FROM segments WHERE ns = %(ns)s AND state = 0;

-- name: topics_drop_empty
DELETE FROM topics WHERE ns = %(ns)s AND NOT EXISTS (SELECT 1 FROM topic_members m WHERE m.ns = %(ns)s AND m.topic = topics.id);

-- Members are segments, and belong to a topic of the same namespace.
-- name: check_topics
SELECT count(*) FROM topic_members m LEFT JOIN segments g ON g.key = m.key AND g.ns = m.ns LEFT JOIN topics t ON t.id = m.topic AND t.ns = m.ns
WHERE m.ns = %(ns)s AND (g.key IS NULL OR t.id IS NULL);
