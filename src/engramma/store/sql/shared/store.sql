-- Every query that both databases run, by name, in SQLite's words; dialect.py puts them into PostgreSQL's. `:ns` is the
-- namespace the caller is bound to; only the queries of this file, which concern the store as a whole, do without it.
-- Every table of a join is bound to it, as PostgreSQL's keys begin with the namespace.
-- CROSS JOIN and INDEXED BY fix the order of a join: left to itself, SQLite walks a whole namespace.
-- A query that differs in more than dialect.py knows stands in sqlite/ and in postgres/ instead, by one name.

-- name: namespace_key
SELECT ns FROM namespaces WHERE name = :name;

-- name: namespace_add
INSERT INTO namespaces (name, created_at) VALUES (:name, :created_at) ON CONFLICT (name) DO NOTHING;

-- name: namespace_names
SELECT name FROM namespaces ORDER BY name;

-- A reindex gives the whole store new vectors: these concern every namespace at once.
-- What was forgotten has no words to embed; an undo embeds it.
-- name: reindex_missing
SELECT s.ns, s.key FROM segments s LEFT JOIN reindexed r ON r.ns = s.ns AND r.key = s.key WHERE r.key IS NULL AND s.state < 4 ORDER BY s.key LIMIT :limit;

-- name: reindex_counts
SELECT (SELECT count(*) FROM segments WHERE state < 4), (SELECT count(*) FROM reindexed r JOIN segments s ON s.ns = r.ns AND s.key = r.key);

-- name: reindex_clear
DELETE FROM reindexed;

-- name: reindex_drop_embeddings
DELETE FROM embeddings;

-- name: reindex_drop_near
DELETE FROM near;

-- name: reindex_drop_edges
DELETE FROM edges WHERE kind = 'semantic';

-- name: reindex_unlink
UPDATE sessions SET linked = 0;

-- Every index of every namespace has to load anew: a removal and an addition of each segment say so.
-- name: reindex_changes
INSERT INTO changes (ns, seq, key, op)
SELECT s.ns, (SELECT coalesce(max(seq), 0) FROM changes c WHERE c.ns = s.ns) + row_number() OVER (PARTITION BY s.ns ORDER BY s.key), s.key, 1
FROM segments s WHERE s.state = 0;

-- Where the model stays the same, other processes go on: their memory of the dropped near lists must go too.
-- name: reindex_relisted
INSERT INTO changes (ns, seq, key, op)
SELECT s.ns, (SELECT coalesce(max(seq), 0) FROM changes c WHERE c.ns = s.ns) + row_number() OVER (PARTITION BY s.ns ORDER BY s.key), s.key, 2
FROM segments s;

-- name: reindex_unlinked
SELECT n.name, count(*) AS sessions FROM sessions s JOIN namespaces n ON n.ns = s.ns
WHERE s.closed = 1 AND (s.linked = 0 OR s.archived = 0) GROUP BY n.name ORDER BY n.name;

-- How many segments of which namespaces wait for their vectors.
-- name: reindex_waiting
SELECT n.name, count(*) AS segments FROM sessions s JOIN namespaces n ON n.ns = s.ns JOIN segments g ON g.ns = s.ns AND g.session = s.key
LEFT JOIN embeddings e ON e.ns = g.ns AND e.key = g.key
WHERE s.linked = 0 AND (s.closed = 0 OR s.linked = 0 OR s.archived = 0) AND e.key IS NULL AND g.state < 4 GROUP BY n.name ORDER BY n.name;

-- name: archive_forget
UPDATE sessions SET archived = 0;
