-- Queries that SQLite runs in words of its own; the others are in shared/. `{ns}` is the namespace's number where it is
-- part of a table's name.

-- name: meta_get
SELECT value FROM meta WHERE key = :key;

-- name: meta_put
INSERT INTO meta (key, value) VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- What is there stays.
-- name: meta_keep
INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO NOTHING;

-- name: meta_delete
DELETE FROM meta WHERE key = :key;

-- name: store_integrity
PRAGMA integrity_check(20);

-- name: reindex_put
INSERT OR REPLACE INTO reindexed (key, ns, code, vector) VALUES (:key, :owner, x'', :vector);

-- name: reindex_take_embeddings
INSERT INTO embeddings (ns, key, code, vector)
SELECT s.ns, r.key, r.code, r.vector FROM reindexed r JOIN segments s ON s.key = r.key;
