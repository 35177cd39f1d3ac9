-- Every query Engramma runs on PostgreSQL, by the names that sqlite/ has; `engramma` finds its tables by the search path.
-- %(ns)s is the namespace the caller is bound to; only the queries of the first part, which concern the store as a whole,
-- do without it. A parameter with one of these casts is made into what it says before it is sent (postgres_values.py):
-- ::bigint[] and ::text[] of a JSON list, ::vector of float16 bytes, ::tsvector and ::token_count of a text to be found,
-- ::phrases of what FTS5 is asked for.

-- name: meta_get
SELECT value FROM meta WHERE ns = 0 AND key = %(key)s;

-- name: meta_put
INSERT INTO meta (key, value) VALUES (%(key)s, %(value)s::tagged)
ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value;

-- What is there stays.
-- name: meta_keep
INSERT INTO meta (key, value) VALUES (%(key)s, %(value)s::tagged) ON CONFLICT (ns, key) DO NOTHING;

-- name: meta_delete
DELETE FROM meta WHERE ns = 0 AND key = %(key)s;

-- name: namespace_key
SELECT ns FROM namespaces WHERE name = %(name)s;

-- name: namespace_add
INSERT INTO namespaces (name, created_at) VALUES (%(name)s, %(created_at)s) ON CONFLICT (name) DO NOTHING;

-- name: namespace_names
SELECT name FROM namespaces ORDER BY name;

-- name: store_integrity
SELECT coalesce(string_agg('the index ' || c.relname || ' is not whole: REINDEX it', '; '), 'ok')
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = current_schema()::regnamespace AND NOT (i.indisvalid AND i.indisready);

-- A reindex gives the whole store new vectors: these concern every namespace at once.
-- name: reindex_missing
SELECT s.ns, s.key FROM segments s LEFT JOIN reindexed r ON r.ns = s.ns AND r.key = s.key
WHERE r.key IS NULL ORDER BY s.key LIMIT %(limit)s;

-- name: reindex_counts
SELECT (SELECT count(*) FROM segments), (SELECT count(*) FROM reindexed r JOIN segments s ON s.ns = r.ns AND s.key = r.key);

-- name: reindex_put
INSERT INTO reindexed (ns, key, code, vector, embedding) VALUES (%(owner)s, %(key)s, %(code)s, %(vector)s, %(vector)s::vector)
ON CONFLICT (ns, key) DO UPDATE SET code = excluded.code, vector = excluded.vector, embedding = excluded.embedding;

-- name: reindex_clear
DELETE FROM reindexed;

-- name: reindex_drop_embeddings
DELETE FROM embeddings;

-- name: reindex_take_embeddings
INSERT INTO embeddings (ns, key, code, vector, embedding)
SELECT s.ns, r.key, r.code, r.vector, r.embedding FROM reindexed r JOIN segments s ON s.ns = r.ns AND s.key = r.key;

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
