-- Queries that PostgreSQL runs in words of its own, by the names that sqlite/ has; the others are in shared/. `engramma`
-- finds its tables by the search path. %(ns)s is the namespace the caller is bound to.
-- A parameter with one of these casts is made into what it says before it is sent (postgres_values.py):
-- ::bigint[] and ::text[] of a JSON list, ::vector of float16 bytes, ::tsvector and ::token_count of a text to be found,
-- ::phrases of what FTS5 is asked for, ::tagged of a number, a text or bytes, ::firsts and ::seconds of a JSON list of pairs.

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

-- name: store_integrity
SELECT coalesce(string_agg('the index ' || c.relname || ' is not whole: REINDEX it', '; '), 'ok')
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = current_schema()::regnamespace AND NOT (i.indisvalid AND i.indisready);

-- name: reindex_put
INSERT INTO reindexed (ns, key, code, vector, embedding) VALUES (%(owner)s, %(key)s, '', %(vector)s, %(vector)s::vector)
ON CONFLICT (ns, key) DO UPDATE SET code = excluded.code, vector = excluded.vector, embedding = excluded.embedding;

-- name: reindex_take_embeddings
INSERT INTO embeddings (ns, key, code, vector, embedding)
SELECT s.ns, r.key, r.code, r.vector, r.embedding FROM reindexed r JOIN segments s ON s.ns = r.ns AND s.key = r.key;
